/**
 * What an attempt cost upstream: the operator sees it, and no account does. A figure is reported by the
 * provider, or computed by a unit price that the operator declared; the log keeps the two apart for
 * good. Amounts are integer millionths of their unit.
 */
import * as v from "valibot"
import type { Model } from "../models/model.ts"
import type { Usage } from "../task/events.ts"
import { MAX_CHARGE_MICROS, toWholeMicros } from "./charge.ts"
import { coversFactors, type LoggedParameters } from "./factors.ts"
import type { ModelPrice } from "./prices.ts"
import { listRates } from "./rates.ts"

/** The unit of money: US dollars. Any other is a provider's own, such as `credits` or `tokens`. */
export const COST_CURRENCY = "usd"

/** Longer than any provider's name of what it counts. */
export const MAX_COST_UNIT_CHARACTERS = 40

const micros = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(0),
  // As a charge: hundreds of the largest can be added up exactly.
  v.maxValue(MAX_CHARGE_MICROS),
)

export const costSchema = v.union([
  /** Nothing was billed, by proof or by the provider's word. */
  v.literal("none"),
  /** It was billed, or may have been, and the amount is unknown. */
  v.literal("unknown"),
  v.strictObject({
    /** US dollars, by the operator's unit price; null if none is declared, or the provider reported money. */
    computedMicros: v.nullable(micros),
    /** As the provider reported it; null if it reported nothing. */
    told: v.nullable(
      v.strictObject({
        micros,
        unit: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_COST_UNIT_CHARACTERS)),
      }),
    ),
  }),
])

export type AttemptCost = Readonly<v.InferOutput<typeof costSchema>>

export type ToldCost = NonNullable<Extract<AttemptCost, object>["told"]>

/** What a model costs at a channel, as its operator declares it: US dollars in micro-units. */
export interface UnitCost extends ModelPrice {
  /** Of one of the provider's own units: a credit, a token, a second of its machine. */
  readonly perUnitMicros?: number
}

/** How a cost is known; `micros` are US dollars, 0 if there is no figure. */
export interface CostFigure {
  readonly source: "none" | "unknown" | "told" | "computed"
  readonly micros: number
}

export function toCostFigure(cost: AttemptCost): CostFigure {
  if (typeof cost === "string") return { source: cost, micros: 0 }
  const { computedMicros, told } = cost
  if (told?.unit === COST_CURRENCY) return { source: "told", micros: told.micros }
  if (computedMicros !== null) return { source: "computed", micros: computedMicros }
  return { source: "unknown", micros: 0 }
}

export interface BilledAttempt {
  readonly told: ToldCost | undefined
  /** What was made, if that is known. */
  readonly usage: Usage | undefined
  /** The task's logged parameters, by which a unit price may have factors. */
  readonly parameters: LoggedParameters
}

/**
 * The cost of an attempt that was billed: what the provider reported, and the amount by unit price if the
 * provider reported no money.
 */
export function toBilledCost(
  model: Model,
  price: UnitCost | undefined,
  attempt: BilledAttempt,
): AttemptCost {
  const { told } = attempt
  const isMoney = told?.unit === COST_CURRENCY
  const computedMicros = isMoney || price === undefined ? undefined : compute(model, price, attempt)
  if (told === undefined && computedMicros === undefined) return "unknown"
  return { computedMicros: computedMicros ?? null, told: told ?? null }
}

function compute(
  model: Model,
  price: UnitCost,
  { parameters, told, usage }: BilledAttempt,
): number | undefined {
  const { perUnitMicros } = price
  if (perUnitMicros !== undefined && told !== undefined) {
    const exact = (BigInt(told.micros) * BigInt(perUnitMicros) + 999_999n) / 1_000_000n
    return exact > BigInt(MAX_CHARGE_MICROS) ? MAX_CHARGE_MICROS : Number(exact)
  }
  const rates = listRates(model, price)
  if (rates.length === 0) return undefined
  // Whatever was made of it, a request costs the same; and what is free costs nothing.
  const isKnown = rates.every((rate) => rate === "perRequestMicros" || price[rate] === 0)
  const counted = usage ?? (isKnown ? NOTHING : undefined)
  if (counted === undefined || !coversFactors(price.factors, parameters)) return undefined
  return toWholeMicros(model.charge(counted, price, parameters))
}

const NOTHING: Usage = { images: 0, inputVideosMs: [], outputVideoMs: 0 }
