/**
 * Whether a price fits its model: a rate that counts what the model makes, factors by parameters that are logged, and
 * a factor for every value that they may have. What a request costs must be known before it is accepted.
 */
import {
  ANY_VALUE,
  canCount,
  listRates,
  PRICE_RATES,
  type Factors,
  type Model,
  type ModelPrice,
} from "@safelight/core"
import { describeParameters } from "@safelight/http"
import { canBe, findPossibleValues, type PossibleValues } from "./factor-values.ts"

/** Of a model's price, each naming its member; none if it fits. */
export function listPriceFaults(model: Model, price: ModelPrice): readonly string[] {
  const stray = PRICE_RATES.filter((rate) => price[rate] !== undefined && !canCount(rate, model))
  const kinds = model.artifacts.join(" and ")
  return [
    ...(listRates(model, price).length === 0
      ? [`lacks a rate for ${kinds}: add ${toWanted(model)}`]
      : stray.map((rate) => `${rate} counts nothing that the model makes, which is ${kinds}`)),
    ...listFactorFaults(model, price.factors),
  ]
}

/** The member that a model is usually billed by, as it stands in a price. */
export function toWanted(model: Model): string {
  const rate = PRICE_RATES.find((each) => canCount(each, model)) ?? "perRequestMicros"
  return `{"${rate}": …}`
}

/** The same of factors alone, as a channel's costs have them. */
export function listFactorFaults(model: Model, factors: Factors = {}): readonly string[] {
  const entries = Object.entries(factors)
  if (entries.length === 0) return []
  const described = describeParameters(model)
  return entries.flatMap(([name, values]) => {
    const at = `factors.${name}`
    if (!model.logged.includes(name)) {
      const others = model.logged.length === 0 ? "none is" : model.logged.join(", ")
      return [`${at}: the parameter is not logged, and factors are by logged ones alone: ${others}`]
    }
    const possible = findPossibleValues(described, name)
    return possible === undefined ? [] : listValueFaults(at, values, possible)
  })
}

function listValueFaults(
  at: string,
  values: Readonly<Record<string, string>>,
  possible: PossibleValues,
): readonly string[] {
  const strange = Object.keys(values).filter((each) => each !== ANY_VALUE && !canBe(possible, each))
  const faults = strange.map((value) => `${at}.${value}: no value that the parameter may have`)
  const lacking = Object.hasOwn(values, ANY_VALUE) ? [] : listLacking(values, possible)
  if (lacking.length === 0) return faults
  return [...faults, `${at}: has no factor for ${lacking.join(", ")}`]
}

/** In words, each. */
function listLacking(
  values: Readonly<Record<string, string>>,
  { listed, mayBeAbsent, ranges }: PossibleValues,
): readonly string[] {
  const unnamed = listed.filter((value) => !Object.hasOwn(values, String(value)))
  return [
    ...unnamed.map((value) => JSON.stringify(value)),
    ...ranges.map(({ min, max }) => `every number from ${min} to ${max}: name "${ANY_VALUE}"`),
    ...(mayBeAbsent ? [`being left out: name "${ANY_VALUE}"`] : []),
  ]
}
