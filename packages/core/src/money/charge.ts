/**
 * The arithmetic of a charge, in integers throughout (design §8; specification §8, video billing). Quotes,
 * reservations, charges, replay, `usage` and what a channel costs are all computed here and nowhere else.
 */
import type { Usage } from "../task/events.ts"
import { FACTOR_DECIMALS, findFactors, toMillionths, type LoggedParameters } from "./factors.ts"
import type { ModelPrice } from "./prices.ts"
import { COUNTED } from "./rates.ts"

/**
 * No task costs as much: ten million of the currency, also of one that counts in thousands. Hundreds
 * of it can be added up exactly.
 */
export const MAX_CHARGE_MICROS = 10_000_000_000_000

/** The most pieces, or milliseconds of one video, that a task may have used. */
export const MAX_USAGE = 1_000_000_000_000

/** A rate per second counts milliseconds, so that sums are exact in thousandths. */
const DECIMALS = 3
const PARTS = 10n ** BigInt(DECIMALS)

export interface ExactAmount {
  /** Micro-units × 10 to the power of `decimals`. */
  readonly amount: bigint
  readonly decimals: number
}

/**
 * Rates × what was used, added up, times the factors of the logged parameters: exact, and rounded up to a micro-unit
 * once, at the very end; at most `MAX_CHARGE_MICROS`. Throws a RangeError if the price has no factor for one of
 * the values, which an accepted task can't have.
 */
export function chargeUsage(usage: Usage, price: ModelPrice, logged: LoggedParameters): number {
  const { amount, decimals } = chargeExactly(usage, price, logged)
  const parts = decimals === DECIMALS ? PARTS : 10n ** BigInt(decimals)
  const micros = (amount + parts - 1n) / parts
  return micros > BigInt(MAX_CHARGE_MICROS) ? MAX_CHARGE_MICROS : Number(micros)
}

/** The same before it is rounded. Throws as `chargeUsage` does. */
export function chargeExactly(
  usage: Usage,
  price: ModelPrice,
  logged: LoggedParameters,
): ExactAmount {
  let amount = 0n
  for (const { count, per, rate } of COUNTED) {
    const micros = price[rate]
    if (micros === undefined || micros === 0) continue
    const counted = BigInt(count(usage)) * BigInt(micros)
    amount += per === 1 ? counted * PARTS : counted
  }
  const factors = findFactors(price.factors, logged)
  for (const { factor } of factors) amount *= toMillionths(factor)
  return { amount, decimals: DECIMALS + factors.length * FACTOR_DECIMALS }
}

/**
 * An amount of a host's own arithmetic in whole micro-units, rounded up, at most `MAX_CHARGE_MICROS`; undefined
 * if it is none, as a negative one.
 */
export function toWholeMicros(amount: number): number | undefined {
  return amount >= 0 ? Math.min(Math.ceil(amount), MAX_CHARGE_MICROS) : undefined
}
