/** A price proposed from what a provider charges: the dearest known cost times a margin, rounded up. */
import { PRICE_RATES, type ModelPrice } from "@safelight/core"

/** With at most three places; both ends are mistakes more often than wishes. */
const MARGIN = /^(?:[1-9]|[1-9]\d)(?:\.\d{1,3})?$/

/** The margin in thousandths; undefined if it is no decimal from 1 to below 100 with at most three places. */
export function parseMargin(text: string): bigint | undefined {
  if (!MARGIN.test(text)) return undefined
  const [whole = "", places = ""] = text.split(".")
  return BigInt(whole + places.padEnd(3, "0"))
}

/** The same factors, and each rate rounded up to a micro-unit. */
export function withMargin(cost: ModelPrice, marginThousandths: bigint): ModelPrice {
  const rates = PRICE_RATES.flatMap((rate) => {
    const micros = cost[rate]
    if (micros === undefined) return []
    return [[rate, Number((BigInt(micros) * marginThousandths + 999n) / 1000n)] as const]
  })
  return {
    ...Object.fromEntries(rates),
    ...(cost.factors !== undefined && { factors: cost.factors }),
  }
}

/** The one whose dearest unit costs most; undefined if there is none. */
export function findDearest<Cost extends ModelPrice>(costs: readonly Cost[]): Cost | undefined {
  return costs.toSorted((a, b) => toDearestUnit(b) - toDearestUnit(a))[0]
}

/** For an order alone: no amount is made of it. */
function toDearestUnit(cost: ModelPrice): number {
  const rates = PRICE_RATES.reduce((sum, rate) => sum + (cost[rate] ?? 0), 0)
  const factors = Object.values(cost.factors ?? {}).map((values) => {
    return Math.max(...Object.values(values).map(Number))
  })
  return factors.reduce((product, factor) => product * factor, rates)
}
