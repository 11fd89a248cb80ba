/**
 * How many pictures a task was accepted for, so that its account sees that fewer came. It is derived from what
 * the log has of the parameters, which outlives the request.
 */
import { chargeOf, type Task } from "@safelight/core"
import type { Ports } from "../host/ports.ts"

/**
 * Null of a film. Null also where the parameters in the log do not make the reservation that the task has: the
 * model counts by something else, or is not what it was.
 */
export function countImagesAsked(
  { models, prices }: Pick<Ports, "models" | "prices">,
  { model: id, parameters, priceVersion, reservationMicros }: Task,
): number | null {
  const model = models.get(id)
  if (model === undefined || model.artifacts !== "image") return null
  try {
    const usage = model.estimate(parameters)
    const isSame = chargeOf(model, prices, priceVersion, usage) === reservationMicros
    return isSame ? usage.images : null
  } catch {
    return null
  }
}
