/** A task's charge from its price version and usage: what the engine records and the audit recomputes. */
import type { Model } from "../models/model.ts"
import type { Usage } from "../task/events.ts"
import type { Task } from "../task/task.ts"
import { chargeUsage, toWholeMicros } from "./charge.ts"
import { findPrice, type ModelPrice, type PriceBook } from "./prices.ts"
import { hasRate } from "./rates.ts"

/** What fixes the price of a task. */
export type PricedTask = Pick<Task, "parameters" | "priceVersion">

/**
 * Whether a price has a rate that counts what the model makes or uses up. A host's own arithmetic may ask for any
 * other.
 */
export function isPriced(model: Model, price: ModelPrice): boolean {
  return model.charge !== chargeUsage || hasRate(model, price)
}

/**
 * What usage costs, in integer micro-units, rounded up. Throws a RangeError if the book lacks the version, the
 * model, a rate or a factor of the task's parameters, since a price table in use must not be taken away; and if what the
 * model charges is no amount.
 */
export function chargeOf(model: Model, book: PriceBook, task: PricedTask, usage: Usage): number {
  const amount = chargeAsTold(model, book, task, usage)
  const micros = toWholeMicros(amount)
  if (micros === undefined) throw new RangeError(`model ${model.id} charges ${amount}`)
  return micros
}

/** As the model has it: a model of a host's own may give what is no amount. Throws as `chargeOf` does. */
export function chargeAsTold(
  model: Model,
  book: PriceBook,
  { parameters, priceVersion: version }: PricedTask,
  usage: Usage,
): number {
  const price = findPrice(book, version, model.id)
  if (price === undefined || !isPriced(model, price)) {
    throw new RangeError(`price table ${version} lacks ${model.id}, or the rate it is billed by`)
  }
  return model.charge(usage, price, parameters)
}

/**
 * What a task is charged for what it used, in integer micro-units: at most what was reserved for it,
 * so that nobody is charged more than they may spend, and nothing where the model gives no amount. Throws if the
 * price lacks, as `chargeOf` does.
 */
export function chargeWithin(
  model: Model,
  book: PriceBook,
  task: PricedTask & Pick<Task, "reservationMicros">,
  usage: Usage,
): number {
  const micros = toWholeMicros(chargeAsTold(model, book, task, usage)) ?? 0
  return Math.min(micros, task.reservationMicros)
}
