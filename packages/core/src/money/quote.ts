/**
 * What a task would cost at most, and how that comes about. Nothing is stored of a quote, and nothing is
 * reserved for it: a submission that names one is priced by its table and held to its amount, or refused.
 */
import type { Usage } from "../task/events.ts"
import { chargeUsage } from "./charge.ts"
import { coversFactors, findFactors, type AppliedFactor, type LoggedParameters } from "./factors.ts"
import type { ModelPrice } from "./prices.ts"
import { COUNTED, type BilledItem } from "./rates.ts"

/** As much of a quote as a submission names. */
export interface QuoteTerms {
  readonly priceVersion: string
  /** What would be reserved for the task, and the most that it is charged. */
  readonly maxCostMicros: number
  /** Milliseconds since the epoch, exclusive; whole seconds. */
  readonly validUntil: number
}

export interface Quote extends QuoteTerms {
  readonly model: string
  readonly price: ModelPrice
  /** What is billed. Empty if the model has an arithmetic of its own, which no lines explain. */
  readonly lines: readonly QuoteLine[]
}

export interface QuoteLine {
  /** Video and audio are billed by the second, text by the thousand of characters or tokens. */
  readonly item: BilledItem
  /** The most that can be billed: pieces, milliseconds, characters or tokens. Output is measured once it is there. */
  readonly quantity: number
  /** Of a piece, of a second, or of a thousand. */
  readonly unitPriceMicros: number
  /** What the line is multiplied by, the same of every line; absent if there is none. */
  readonly factors?: readonly AppliedFactor[]
}

export interface QuotedUsage {
  readonly usage: Usage
  readonly price: ModelPrice
  /** The logged parameters of the task. */
  readonly parameters: LoggedParameters
}

/**
 * The lines of `costMicros`, which is what the model charges for the usage: added up, times their factors, and rounded
 * up once they make it. There are none if they do not.
 */
export function toQuoteLines(
  { parameters, price, usage }: QuotedUsage,
  costMicros: number,
): readonly QuoteLine[] {
  if (!coversFactors(price.factors, parameters)) return []
  if (chargeUsage(usage, price, parameters) !== costMicros) return []
  const applied = findFactors(price.factors, parameters)
  const factors = applied.length === 0 ? {} : { factors: applied }
  return COUNTED.flatMap(({ count, item, rate }) => {
    const unitPriceMicros = price[rate]
    const quantity = count(usage)
    return unitPriceMicros === undefined || quantity === 0
      ? []
      : [{ item, quantity, unitPriceMicros, ...factors }]
  })
}
