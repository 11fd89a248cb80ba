/** A task's charge from its price version and usage: what the engine records and the audit recomputes. */
import type { Model } from "../models/model.ts"
import type { Usage } from "../task/events.ts"
import type { Task } from "../task/task.ts"
import { findPrice, type PriceBook } from "./prices.ts"

/**
 * What usage costs, in integer micro-units. Throws a RangeError if the book lacks the version, the
 * model or the rate that it is billed by: a price table in use must not be taken away.
 */
export function chargeOf(model: Model, book: PriceBook, version: string, usage: Usage): number {
  const price = findPrice(book, version, model.id)
  if (price === undefined) throw new RangeError(`price table ${version} lacks ${model.id}`)
  return model.charge(usage, price)
}

/**
 * What a task is charged for what it used, in integer micro-units: at most what was reserved for it,
 * so that nobody is charged more than they may spend. Throws as `chargeOf` does.
 */
export function chargeWithin(
  model: Model,
  book: PriceBook,
  { priceVersion, reservationMicros }: Pick<Task, "priceVersion" | "reservationMicros">,
  usage: Usage,
): number {
  return Math.min(chargeOf(model, book, priceVersion, usage), reservationMicros)
}
