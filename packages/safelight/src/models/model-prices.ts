/** Whether the price tables of a configuration fit its models: the last table prices every model, and no other. */
import {
  currentPrices,
  DEFAULT_PRICES,
  type Model,
  type ModelPrice,
  type PriceBook,
} from "@safelight/core"

/** In words that follow `prices: `; undefined if they fit. */
export function findPriceFault(models: readonly Model[], prices: PriceBook): string | undefined {
  const current = currentPrices(prices)
  const stray = Object.keys(current.models).find((id) => models.every((model) => model.id !== id))
  if (stray !== undefined) return `the last table prices "${stray}", which is no model`
  const unpriced = models.find(({ artifacts, id }) => {
    const price: ModelPrice | undefined = current.models[id]
    return price?.[RATES[artifacts]] === undefined
  })
  if (unpriced === undefined) return undefined
  const isBuiltIn = DEFAULT_PRICES.includes(current)
  const which = isBuiltIn ? "the built-in table" : "the last table"
  const what = `"${unpriced.id}": {"${RATES[unpriced.artifacts]}": …}`
  const where = isBuiltIn ? `a table for every model, with ${what}` : what
  return `${which} has no price for "${unpriced.id}": add ${where}`
}

const RATES = { image: "perImageMicros", video: "perVideoSecondMicros" } as const
