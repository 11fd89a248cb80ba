/**
 * What a task must cost (design §8): what its usage, price version and model make, at most what was
 * reserved for it. A charge of all that was measured passes too, also above the reservation, since
 * earlier releases charged so and the log does not say which release did. A failed task has a usage
 * only if a channel reported that it billed one; without, it costs nothing.
 */
import {
  chargeOf,
  chargeUsage,
  chargeWithin,
  findPrice,
  type Model,
  type PriceBook,
  type Task,
  type Usage,
} from "@safelight/core"
import { excerpt } from "./excerpt.ts"
import type { Finding } from "./finding.ts"

/** The finding about `task`'s charge, if any. */
export function findChargeFault(
  task: Task,
  prices: PriceBook,
  models: ReadonlyMap<string, Model>,
): Finding | undefined {
  if (task.usage === null) return findFreeFault(task)
  const place = { task: task.id, version: task.version, found: task.chargeMicros }
  const model = models.get(task.model)
  if (model === undefined) {
    if (isChargedByPrice(task, task.usage, prices)) return undefined
    return { kind: "model-unknown", ...place, expected: task.model }
  }
  try {
    const expected = chargeWithin(model, prices, task, task.usage)
    if (expected === task.chargeMicros) return undefined
    const measured = chargeOf(model, prices, task, task.usage)
    if (measured === task.chargeMicros) return undefined
    return { kind: "charge-differs", ...place, expected }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return { kind: "price-unknown", ...place, expected: excerpt(error.message) }
  }
}

/**
 * Whether a price alone explains the charge, as it does for every model but those with an arithmetic of their own: a
 * model whose file was removed is not needed then.
 */
function isChargedByPrice(
  { chargeMicros, model, parameters, priceVersion, reservationMicros }: Task,
  usage: Usage,
  prices: PriceBook,
): boolean {
  const price = findPrice(prices, priceVersion, model)
  if (price === undefined) return false
  try {
    const micros = chargeUsage(usage, price, parameters)
    return chargeMicros === micros || chargeMicros === Math.min(micros, reservationMicros)
  } catch (error) {
    // It has no factor for one of the task's parameters.
    if (!(error instanceof RangeError)) throw error
    return false
  }
}

function findFreeFault({ id, version, chargeMicros }: Task): Finding | undefined {
  if (chargeMicros === 0) return undefined
  return { kind: "charge-differs", task: id, version, expected: 0, found: chargeMicros }
}
