/**
 * What is known of each model of a configuration before a task of it is accepted: its price, the cheapest and the
 * dearest request, who makes it, and where it would be sold below what it costs. Nothing is bought.
 */
import {
  currentPrices,
  findPrice,
  toPriceVersion,
  type Model,
  type ModelPrice,
  type PriceBook,
} from "@safelight/core"
import { findMapping } from "../channels/channel-models.ts"
import { findOwnCost, toKnownCosts } from "../channels/known-costs.ts"
import type { ChannelPlan } from "../channels/plan-channels.ts"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import { walkPrices, type KnownCost, type PriceWalk } from "./walk-prices.ts"

export interface Maker {
  readonly channel: string
  readonly tier: number
  /** Why it is left out; empty if it is not. */
  readonly faults: readonly string[]
}

export interface ModelReport {
  readonly model: Model
  readonly priceVersion: string
  readonly price: ModelPrice
  readonly walk: PriceWalk
  readonly makers: readonly Maker[]
  /** Types that its file names, and that no channel of the configuration is of. */
  readonly others: readonly string[]
}

export interface ReportOptions {
  readonly models: readonly Model[]
  /** Sealed, with the models' own prices. */
  readonly prices: PriceBook
  readonly channels: readonly ChannelSettings[]
  /** Of the channels, in their order. */
  readonly plans: readonly ChannelPlan[]
}

export function reportModels({
  channels,
  models,
  plans,
  prices,
}: ReportOptions): readonly ModelReport[] {
  return models.map((model) => {
    const priceVersion = toPriceVersion(currentPrices(prices), model.id)
    const price = findPrice(prices, priceVersion, model.id) ?? {}
    const makers = plans.flatMap(({ faults, models: made, name: channel, tier }) =>
      made.includes(model.id) ? [{ channel, tier, faults }] : [],
    )
    const ofChannels = channels.flatMap((settings, place) =>
      listCosts(settings, plans[place], model),
    )
    const types = Object.keys(model.upstreams ?? {})
    const others = types.filter((type) => plans.every((plan) => plan.type !== type))
    const ofOthers = others.flatMap((type) => {
      const cost = findOwnCost(model, type)
      return cost === undefined ? [] : [{ by: type, cost, takes: model.upstreams?.[type] }]
    })
    const walk = walkPrices(model, price, [...ofChannels, ...ofOthers])
    return { model, priceVersion, price, walk, makers, others }
  })
}

function listCosts(
  settings: ChannelSettings,
  plan: ChannelPlan | undefined,
  model: Model,
): readonly KnownCost[] {
  const costs = toKnownCosts(settings, [model])
  const cost = Object.hasOwn(costs, model.id) ? costs[model.id] : undefined
  if (cost === undefined || plan === undefined) return []
  const own = settings.type === undefined ? undefined : model.upstreams?.[settings.type]
  const takes = { ...own, ...findMapping(settings)?.[model.id] }
  return [{ by: plan.name, cost, takes }]
}
