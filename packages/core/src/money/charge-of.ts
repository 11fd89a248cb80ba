/** A task's charge from its price version and usage: what the engine records and the audit recomputes. */
import type { Model } from "../models/model.ts"
import type { Usage } from "../task/events.ts"
import type { Task } from "../task/task.ts"
import { toWholeMicros } from "./charge.ts"
import { findPrice, type PriceBook } from "./prices.ts"

/**
 * What usage costs, in integer micro-units, rounded up. Throws a RangeError if the book lacks the version, the
 * model or the rate that it is billed by, since a price table in use must not be taken away; and if what the
 * model charges is no amount.
 */
export function chargeOf(model: Model, book: PriceBook, version: string, usage: Usage): number {
  const amount = chargeAsTold(model, book, version, usage)
  const micros = toWholeMicros(amount)
  if (micros === undefined) throw new RangeError(`model ${model.id} charges ${amount}`)
  return micros
}

/** As the model has it: a model of a host's own may give what is no amount. Throws as `chargeOf` does. */
export function chargeAsTold(model: Model, book: PriceBook, version: string, usage: Usage): number {
  const price = findPrice(book, version, model.id)
  if (price === undefined) throw new RangeError(`price table ${version} lacks ${model.id}`)
  return model.charge(usage, price)
}

/**
 * What a task is charged for what it used, in integer micro-units: at most what was reserved for it,
 * so that nobody is charged more than they may spend, and nothing where the model gives no amount. Throws if the
 * price lacks, as `chargeOf` does.
 */
export function chargeWithin(
  model: Model,
  book: PriceBook,
  { priceVersion, reservationMicros }: Pick<Task, "priceVersion" | "reservationMicros">,
  usage: Usage,
): number {
  const micros = toWholeMicros(chargeAsTold(model, book, priceVersion, usage)) ?? 0
  return Math.min(micros, reservationMicros)
}
