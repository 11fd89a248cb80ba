/**
 * The usage and cost of tasks, as the API shows them: amounts in integer micro-units, moments in whole Unix
 * seconds, durations in integer milliseconds.
 */
import {
  isTerminal,
  textToImage,
  toStatus,
  toUnixSeconds,
  type ChargesRequest,
  type ChargeSum,
  type TaskUsage,
  type Usage,
  type UsageReport,
} from "@safelight/core"
import * as v from "valibot"
import { defineBody, described, type Shown } from "./body.ts"
import { appliedFactors, price, toFactorsBody, toPriceBody } from "./price.ts"
import { currency, EXAMPLE_ID, taskId, whole } from "./shapes.ts"
import { STATUSES } from "./task.ts"

const TASK_USAGE_EXAMPLE = {
  task_id: EXAMPLE_ID,
  model: textToImage.id,
  status: "succeeded",
  labels: { project: "spring" },
  finished_at: 1_767_225_609,
  currency: "USD",
  price_version: "default-1",
  price: { per_image_micros: 10_000 },
  reserved_micros: 0,
  charge_micros: 10_000,
  charge_limit_micros: 10_000,
  images_asked: 1,
  usage: { images: 1, output_video_ms: 0, input_videos_ms: [], billed_input_ms: 0 },
} as const

export const measuredUsage = v.object({
  images: whole,
  output_video_ms: described(whole, "Measured."),
  output_audio_ms: v.optional(described(whole, "Measured; absent if no sound was made.")),
  characters: v.optional(described(whole, "Of the text; absent if it is not counted.")),
  tokens: v.optional(described(whole, "As the provider counts; absent if it tells none.")),
  input_videos_ms: described(v.array(whole), "Measured, in their order."),
  billed_input_ms: described(whole, "As charged, all of them together."),
})

export const taskUsage = defineBody("TaskUsage", TASK_USAGE_EXAMPLE, {
  task_id: taskId,
  model: v.string(),
  status: v.picklist(STATUSES),
  labels: described(
    v.record(v.string(), v.string()),
    "By key, as submitted; none once the task was erased.",
  ),
  finished_at: described(whole, "0 while the task is unfinished."),
  currency,
  price_version: described(v.string(), "The prices it was accepted under."),
  price: described(
    v.nullable(price),
    "Micro-units of the account's currency; null where no longer known.",
  ),
  factors: v.optional(
    described(
      appliedFactors,
      "What the price is multiplied by for this task; absent if by nothing.",
    ),
  ),
  reserved_micros: described(whole, "Held back until the task is finished, then 0."),
  charge_micros: described(whole, "What it cost, in micro-units."),
  charge_limit_micros: described(
    whole,
    "What was reserved for it at first: it costs at most that, whatever was used.",
  ),
  images_asked: described(
    v.nullable(whole),
    "Pictures that the task is to make. If one can't be had, it succeeds with the others and is " +
      "charged for those: `usage` has fewer. Null of a film, or where it is no longer known.",
  ),
  usage: described(v.nullable(measuredUsage), "Null where nothing was used, or not yet."),
})

const USAGE_REPORT_EXAMPLE = {
  from: 1_767_225_600,
  to: 1_769_904_000,
  currency: "USD",
  charge_micros: 10_000,
  tasks: 1,
  charges: [
    {
      model: textToImage.id,
      price_version: "default-1",
      tasks: 1,
      images: 1,
      output_video_ms: 0,
      billed_input_ms: 0,
      charge_micros: 10_000,
    },
  ],
  account: {
    budget_micros: 5_000_000,
    charged_micros: 10_000,
    reserved_micros: 0,
    unfinished_tasks: 0,
  },
} as const

export const usageReport = defineBody("UsageReport", USAGE_REPORT_EXAMPLE, {
  from: described(whole, "Inclusive."),
  to: described(whole, "Exclusive."),
  currency,
  charge_micros: described(whole, "Of the tasks that finished in the period."),
  tasks: described(whole, "Those of them that used something."),
  charges: v.array(
    v.object({
      model: v.string(),
      price_version: v.string(),
      tasks: whole,
      images: whole,
      output_video_ms: whole,
      output_audio_ms: v.optional(described(whole, "Absent if none.")),
      characters: v.optional(described(whole, "Absent if none.")),
      tokens: v.optional(described(whole, "Absent if none.")),
      billed_input_ms: whole,
      charge_micros: whole,
    }),
  ),
  account: described(
    v.object({
      budget_micros: described(v.nullable(whole), "Null where there is none."),
      charged_micros: described(whole, "Of all finished tasks."),
      reserved_micros: described(whole, "Held back for unfinished tasks."),
      unfinished_tasks: whole,
    }),
    "As it stands now, whatever the period.",
  ),
})

/** A price that is no longer configured is null. */
export function toTaskUsageBody({
  task,
  labels,
  factors,
  price: known,
  billedInputMs,
  imagesAsked,
}: TaskUsage): Omit<Shown<typeof taskUsage>, "currency"> {
  const { usage } = task
  return {
    task_id: task.id,
    model: task.model,
    status: toStatus(task),
    labels,
    finished_at: toUnixSeconds(task.finishedAt),
    price_version: task.priceVersion,
    price: known === undefined ? null : toPriceBody(known),
    ...(factors.length > 0 && { factors: toFactorsBody(factors) }),
    reserved_micros: isTerminal(task) ? 0 : task.reservationMicros,
    charge_micros: task.chargeMicros,
    charge_limit_micros: task.reservationMicros,
    images_asked: imagesAsked,
    usage: usage && toMeasuredUsage(usage, billedInputMs),
  }
}

export function toMeasuredUsage(usage: Usage, billedInputMs: number): Shown<typeof measuredUsage> {
  return {
    images: usage.images,
    output_video_ms: usage.outputVideoMs,
    ...toSomeMeasures(usage),
    input_videos_ms: usage.inputVideosMs,
    billed_input_ms: billedInputMs,
  }
}

/** The sums are of the period; what the account has left is of now. */
export function toUsageReportBody(
  { from, to }: Omit<ChargesRequest, "account">,
  { charges, totals, budgetMicros }: UsageReport,
): Omit<Shown<typeof usageReport>, "currency"> {
  return {
    from: toUnixSeconds(from),
    to: toUnixSeconds(to),
    charge_micros: charges.reduce((total, { chargeMicros }) => total + chargeMicros, 0),
    tasks: charges.reduce((total, { tasks }) => total + tasks, 0),
    charges: charges.map(toCharge),
    account: {
      budget_micros: budgetMicros,
      charged_micros: totals.chargedMicros,
      reserved_micros: totals.reservedMicros,
      unfinished_tasks: totals.unfinishedTasks,
    },
  }
}

/** Most models have none of these. */
function toSomeMeasures({
  characters = 0,
  outputAudioMs = 0,
  tokens = 0,
}: Pick<Usage, "characters" | "outputAudioMs" | "tokens">): {
  readonly output_audio_ms?: number
  readonly characters?: number
  readonly tokens?: number
} {
  return {
    ...(outputAudioMs > 0 && { output_audio_ms: outputAudioMs }),
    ...(characters > 0 && { characters }),
    ...(tokens > 0 && { tokens }),
  }
}

function toCharge(sum: ChargeSum): Shown<typeof usageReport>["charges"][number] {
  return {
    model: sum.model,
    price_version: sum.priceVersion,
    tasks: sum.tasks,
    images: sum.images,
    output_video_ms: sum.outputVideoMs,
    ...toSomeMeasures(sum),
    billed_input_ms: sum.billedInputMs,
    charge_micros: sum.chargeMicros,
  }
}
