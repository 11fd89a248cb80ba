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
  const model = models.get(task.model)
  if (task.definition !== undefined) return findPriceFault(task, task.usage, prices)
  if (model !== undefined) return findModelFault(task, task.usage, prices, model)
  // A model whose file was removed is not needed where the price alone explains the charge.
  if (findPriceFault(task, task.usage, prices) === undefined) return undefined
  return { kind: "model-unknown", ...toPlace(task), expected: task.model }
}

/** What price and usage make, above the reservation too; null if the price lacks, or the task used nothing. */
export function measureCharge(
  task: Task,
  prices: PriceBook,
  models: ReadonlyMap<string, Model>,
): number | null {
  const { definition, parameters, priceVersion, usage } = task
  if (usage === null) return null
  const model = definition === undefined ? models.get(task.model) : undefined
  try {
    if (model !== undefined) return chargeOf(model, prices, task, usage)
    const price = findPrice(prices, priceVersion, task.model)
    return price === undefined ? null : chargeUsage(usage, price, parameters)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return null
  }
}

function toPlace({ chargeMicros: found, id: task, version }: Task) {
  return { task, version, found }
}

function findModelFault(
  task: Task,
  usage: Usage,
  prices: PriceBook,
  model: Model,
): Finding | undefined {
  try {
    const expected = chargeWithin(model, prices, task, usage)
    if (expected === task.chargeMicros) return undefined
    const measured = chargeOf(model, prices, task, usage)
    if (measured === task.chargeMicros) return undefined
    return { kind: "charge-differs", ...toPlace(task), expected }
  } catch (error) {
    return toUnknownPrice(task, error)
  }
}

/** By the price alone, as every model is charged but those with an arithmetic of their own, which no file has. */
function findPriceFault(task: Task, usage: Usage, prices: PriceBook): Finding | undefined {
  const { chargeMicros, model, parameters, priceVersion, reservationMicros } = task
  try {
    const price = findPrice(prices, priceVersion, model)
    if (price === undefined) throw new RangeError(`price table ${priceVersion} lacks ${model}`)
    const micros = chargeUsage(usage, price, parameters)
    const expected = Math.min(micros, reservationMicros)
    if (chargeMicros === micros || chargeMicros === expected) return undefined
    return { kind: "charge-differs", ...toPlace(task), expected }
  } catch (error) {
    return toUnknownPrice(task, error)
  }
}

/** The price lacks, or it has no rate or factor for what the task used or asked for. */
function toUnknownPrice(task: Task, error: unknown): Finding {
  if (!(error instanceof RangeError)) throw error
  return { kind: "price-unknown", ...toPlace(task), expected: excerpt(error.message) }
}

function findFreeFault({ id, version, chargeMicros }: Task): Finding | undefined {
  if (chargeMicros === 0) return undefined
  return { kind: "charge-differs", task: id, version, expected: 0, found: chargeMicros }
}
