/**
 * Whether the prices and costs of a configuration fit its models: the last table, or its own file, prices every model,
 * and no table any other. All faults are told at once, since a price list is written as a whole.
 */
import {
  currentPrices,
  DEFAULT_PRICES,
  listRates,
  MODELS,
  withModelPrices,
  type Model,
  type PriceBook,
} from "@safelight/core"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import { listFactorFaults, listPriceFaults, toWanted } from "./price-faults.ts"

/** In words that begin with what they are about; undefined if all fit. */
export function findMoneyFault(
  models: readonly Model[],
  {
    channels,
    prices,
  }: { readonly channels: readonly ChannelSettings[]; readonly prices: PriceBook },
): string | undefined {
  const faults = [
    ...listTableFaults(models, prices).map((fault) => `prices: ${fault}`),
    ...channels.flatMap((settings, place) => listCostFaults(models, settings, place)),
  ]
  const shown = faults.slice(0, MOST_SHOWN)
  const more = faults.length > shown.length ? [`${faults.length - shown.length} more`] : []
  return faults.length === 0 ? undefined : [...shown, ...more].join("; and ")
}

/** A line of a log has room for as many. */
const MOST_SHOWN = 20

function listTableFaults(models: readonly Model[], book: PriceBook): readonly string[] {
  const table = currentPrices(book)
  const isBuiltIn = DEFAULT_PRICES.includes(table)
  const known = new Set((isBuiltIn ? [...models, ...MODELS] : models).map(({ id }) => id))
  const strays = Object.keys(table.models).filter((id) => !known.has(id))
  const priced = currentPrices(withModelPrices([table], models)).models
  return [
    ...strays.map((id) => `the last table prices "${id}", which is no model`),
    ...models.flatMap((model) => {
      const price = Object.hasOwn(priced, model.id) ? priced[model.id] : undefined
      const isOfTable = Object.hasOwn(table.models, model.id)
      const hasRate = price !== undefined && listRates(model, price).length > 0
      if (price === undefined || (isOfTable && !hasRate)) return [toUnpriced(model, isBuiltIn)]
      const where = isOfTable ? `table "${table.version}": ` : ""
      const own = isOfTable ? "" : " has a price of its own that does not fit"
      return [
        ...listPriceFaults(model, price).map((fault) => `${where}"${model.id}"${own}: ${fault}`),
        ...listOwnCostFaults(model),
      ]
    }),
  ]
}

/** Of what the model's own file says that providers charge. */
function listOwnCostFaults(model: Model): readonly string[] {
  return Object.entries(model.upstreams ?? {}).flatMap(([type, { cost }]) =>
    listFactorFaults(model, cost?.factors).map(
      (fault) => `"${model.id}" names under providers.${type}.cost: ${fault}`,
    ),
  )
}

function toUnpriced(model: Model, isBuiltIn: boolean): string {
  const which = isBuiltIn ? "the built-in table" : "the last table"
  const what = `"${model.id}": ${toWanted(model)}`
  const where = isBuiltIn ? `a table for every model, with ${what}` : what
  return `${which} has no price for "${model.id}": add ${where}`
}

/** Costs of models that a channel does not make are found with the channel. */
function listCostFaults(
  models: readonly Model[],
  { costs = {} }: ChannelSettings,
  place: number,
): readonly string[] {
  return Object.entries(costs).flatMap(([id, { factors }]) => {
    const model = models.find((each) => each.id === id)
    if (model === undefined) return []
    return listFactorFaults(model, factors).map(
      (fault) => `channels[${place}].costs.${id}.${fault}`,
    )
  })
}
