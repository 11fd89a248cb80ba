/**
 * A price as a file has it, of a model or of what a channel charges: rates in whole micro-units, and factors as decimal
 * texts. Whether it fits its model is another question, for when the model is known.
 */
import * as v from "valibot"
import { FACTOR_PATTERN, MAX_FACTOR_VALUES, MAX_FACTORS } from "./factors.ts"

const notAnAmount = "expected a whole number of micro-units, from 0 to 1000000000000"
/** So small that sums stay exact. */
const priceMicros = v.pipe(
  v.number(notAnAmount),
  v.integer(notAnAmount),
  v.minValue(0, notAnAmount),
  v.maxValue(1_000_000_000_000, notAnAmount),
)

const notAFactor = 'expected a decimal below 10000 in quotes with at most six places, such as "2.5"'
const factor = v.pipe(v.string(notAFactor), v.regex(FACTOR_PATTERN, notAFactor))

const notValues = `expected from 1 to ${MAX_FACTOR_VALUES} values with a factor each, or "*" for all that are not named`
const values = v.pipe(
  v.record(v.string(), factor, notValues),
  v.check((found) => isWithin(found, MAX_FACTOR_VALUES), notValues),
)

const notFactors = `expected from 1 to ${MAX_FACTORS} parameters with factors by value`
const factors = v.pipe(
  v.record(v.string(), values, notFactors),
  v.check((found) => isWithin(found, MAX_FACTORS), notFactors),
)

function isWithin(members: object, most: number): boolean {
  const count = Object.keys(members).length
  return count >= 1 && count <= most
}

/** The members of a model's price, each of which may be left out. */
export const PRICE_MEMBERS = {
  perImageMicros: v.exactOptional(priceMicros),
  perVideoSecondMicros: v.exactOptional(priceMicros),
  perAudioSecondMicros: v.exactOptional(priceMicros),
  perRequestMicros: v.exactOptional(priceMicros),
  perThousandCharactersMicros: v.exactOptional(priceMicros),
  perThousandTokensMicros: v.exactOptional(priceMicros),
  factors: v.exactOptional(factors),
} as const

/** And those of what a provider charges. */
export const COST_MEMBERS = {
  ...PRICE_MEMBERS,
  perUnitMicros: v.exactOptional(priceMicros),
} as const
