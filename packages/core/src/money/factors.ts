/**
 * Factors: what a parameter's value multiplies a price by. They are decimal strings, since `0.1` is no number that a
 * computer has, and are looked up by logged parameters alone, so that an audit finds the same ones in the log. A
 * parameter that was left out has no value, and takes the factor of `*`, as every value does that is not named.
 */

/** By parameter and value, a decimal such as `"2.5"`; whole numbers and booleans are spelt as in JSON. */
export type Factors = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A task's parameters as the log has them: enumerated, whole numbers, booleans; defaults applied. */
export type LoggedParameters = Readonly<Record<string, string | number | boolean>>

export interface AppliedFactor {
  readonly parameter: string
  /** Null if the parameter was left out and has no default. */
  readonly value: string | number | boolean | null
  /** Decimal. */
  readonly factor: string
}

/** The key of every value that a table does not name, and of a parameter that was left out. */
export const ANY_VALUE = "*"

export const FACTOR_DECIMALS = 6

/** From 0 to below 10,000, with at most six decimals. */
export const FACTOR_PATTERN = /^(?:0|[1-9]\d{0,3})(?:\.\d{1,6})?$/

/** A price takes no more: each multiplies the amounts that a person has to check. */
export const MAX_FACTORS = 16

/** Those of one parameter. A longer range of whole numbers is priced by the second, or by `*`. */
export const MAX_FACTOR_VALUES = 200

/** The factors that apply, in the order of the price. Throws a RangeError if one of the values has none. */
export function findFactors(
  factors: Factors | undefined,
  logged: LoggedParameters,
): readonly AppliedFactor[] {
  if (factors === undefined) return []
  return Object.entries(factors).map(([parameter, values]) => {
    const value = ownValue(logged, parameter)
    const factor = findFactor(values, value)
    if (factor !== undefined) return { parameter, value: value ?? null, factor }
    const lack = value === undefined ? "being left out" : JSON.stringify(value)
    throw new RangeError(`the price has no factor for ${parameter} ${lack}`)
  })
}

/** Whether every one of the values has a factor. */
export function coversFactors(factors: Factors = {}, logged: LoggedParameters): boolean {
  return Object.entries(factors).every(
    ([parameter, values]) => findFactor(values, ownValue(logged, parameter)) !== undefined,
  )
}

/** Of a value, or of a parameter that was left out; undefined if the table has none. */
export function findFactor(
  values: Readonly<Record<string, string>>,
  value: string | number | boolean | undefined,
): string | undefined {
  const named = value === undefined ? undefined : ownValue(values, String(value))
  return named ?? ownValue(values, ANY_VALUE)
}

function ownValue<Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}

/** In millionths. Throws a RangeError if it is no such decimal. */
export function toMillionths(factor: string): bigint {
  if (!FACTOR_PATTERN.test(factor)) throw new RangeError(`${JSON.stringify(factor)} is no factor`)
  const [whole = "", decimals = ""] = factor.split(".")
  return BigInt(whole + decimals.padEnd(FACTOR_DECIMALS, "0"))
}
