/**
 * The usage and cost of tasks, as the API shows them: amounts in integer micro-units, moments in whole Unix
 * seconds, durations in integer milliseconds.
 */
import {
  isTerminal,
  toStatus,
  toUnixSeconds,
  type ChargesRequest,
  type ChargeSum,
  type ModelPrice,
  type TaskUsage,
  type UsageReport,
} from "@safelight/core"

/** JSON. A price that is no longer configured is null. */
export function toTaskUsageText({
  task,
  labels,
  price,
  billedInputMs,
  imagesAsked,
}: TaskUsage): string {
  const { usage } = task
  return JSON.stringify({
    task_id: task.id,
    model: task.model,
    status: toStatus(task),
    labels,
    finished_at: toUnixSeconds(task.finishedAt),
    price_version: task.priceVersion,
    price: price === undefined ? null : toPriceBody(price),
    reserved_micros: isTerminal(task) ? 0 : task.reservationMicros,
    charge_micros: task.chargeMicros,
    charge_limit_micros: task.reservationMicros,
    images_asked: imagesAsked,
    usage: usage && {
      images: usage.images,
      output_video_ms: usage.outputVideoMs,
      input_videos_ms: usage.inputVideosMs,
      billed_input_ms: billedInputMs,
    },
  })
}

export function toPriceBody({ perImageMicros, perVideoSecondMicros }: ModelPrice): object {
  return {
    ...(perImageMicros !== undefined && { per_image_micros: perImageMicros }),
    ...(perVideoSecondMicros !== undefined && { per_video_second_micros: perVideoSecondMicros }),
  }
}

/** JSON. The sums are of the period; what the account has left is of now. */
export function toUsageReportText(
  { from, to }: Omit<ChargesRequest, "account">,
  { charges, totals, budgetMicros }: UsageReport,
): string {
  return JSON.stringify({
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
  })
}

function toCharge(sum: ChargeSum): object {
  return {
    model: sum.model,
    price_version: sum.priceVersion,
    tasks: sum.tasks,
    images: sum.images,
    output_video_ms: sum.outputVideoMs,
    billed_input_ms: sum.billedInputMs,
    charge_micros: sum.chargeMicros,
  }
}
