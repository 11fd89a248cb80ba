/**
 * What the service answers about costs and links, as far as the command reads it: amounts are
 * integer micro-units, durations integer milliseconds, moments whole Unix seconds.
 */
import * as v from "valibot"

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0))

export const linkRecord = v.looseObject({ url: v.string(), expires_at: count })

export type LinkRecord = v.InferOutput<typeof linkRecord>

export const taskUsage = v.looseObject({
  task_id: v.string(),
  model: v.string(),
  status: v.string(),
  finished_at: count,
  price_version: v.string(),
  /** Null where the service no longer knows that price table. */
  price: v.nullable(
    v.looseObject({
      per_image_micros: v.exactOptional(count),
      per_video_second_micros: v.exactOptional(count),
    }),
  ),
  /** 0 once finished. */
  reserved_micros: count,
  charge_micros: count,
  /** At most this was charged; older services don't say. */
  charge_limit_micros: v.exactOptional(count),
  usage: v.nullable(
    v.looseObject({
      images: count,
      output_video_ms: count,
      input_videos_ms: v.array(count),
      billed_input_ms: count,
    }),
  ),
})

export type TaskUsageRecord = v.InferOutput<typeof taskUsage>

const chargeSum = v.looseObject({
  model: v.string(),
  price_version: v.string(),
  tasks: count,
  images: count,
  output_video_ms: count,
  billed_input_ms: count,
  charge_micros: count,
})

export type ChargeSumRecord = v.InferOutput<typeof chargeSum>

export const usageReport = v.looseObject({
  from: count,
  to: count,
  charge_micros: count,
  tasks: count,
  charges: v.array(chargeSum),
  /** Of the account as a whole, whatever the period. */
  account: v.looseObject({
    budget_micros: v.nullable(count),
    charged_micros: count,
    reserved_micros: count,
    unfinished_tasks: count,
  }),
})

export type UsageReportRecord = v.InferOutput<typeof usageReport>
