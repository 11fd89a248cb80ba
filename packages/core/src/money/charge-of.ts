/** A task's charge from its price version and usage: what the engine records and the audit recomputes. */
import type { Model } from "../models/model.ts"
import type { Usage } from "../task/events.ts"
import { findPrice, type PriceBook } from "./prices.ts"

/**
 * Integer micro-units. Throws a RangeError where the book lacks the version or the model: a price
 * table in use must not be taken away.
 */
export function chargeOf(model: Model, book: PriceBook, version: string, usage: Usage): number {
  const price = findPrice(book, version, model.id)
  if (price === undefined) throw new RangeError(`price table ${version} lacks ${model.id}`)
  return model.charge(usage, price)
}
