/**
 * How many pictures a task was accepted for, so that its account sees that fewer came. The number is computed
 * from the parameters in the log, which outlive the request.
 */
import { chargeOf, toMainKind, type Task } from "@safelight/core"
import type { Ports } from "../host/ports.ts"

/**
 * Null for a film. Null also if the parameters in the log do not give the task's reservation: the model counts by
 * something else, or was changed.
 */
export function countImagesAsked(
  { prices, taskModels }: Pick<Ports, "prices" | "taskModels">,
  task: Task,
): number | null {
  const { parameters, reservationMicros } = task
  const model = taskModels.of(task)
  if (model === undefined || toMainKind(model) !== "image") return null
  try {
    const usage = model.estimate(parameters)
    const isSame = chargeOf(model, prices, task, usage) === reservationMicros
    return isSame ? usage.images : null
  } catch {
    return null
  }
}
