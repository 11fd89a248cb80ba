/**
 * What a channel charges for each model, as far as it is known: as its settings say, or else as the models' own files
 * say of its type. A server of one's own has the address, and not the prices, of a provider.
 */
import type { Model, UnitCost } from "@safelight/core"
import type { ChannelSettings } from "../configuration/channel-settings.ts"

export function toKnownCosts(
  { baseUrl, costs = {}, type }: Pick<ChannelSettings, "baseUrl" | "costs" | "type">,
  models: readonly Model[],
): Readonly<Record<string, UnitCost>> {
  if (type === undefined || baseUrl !== undefined) return costs
  const own = models.flatMap((model) => {
    const cost = findOwnCost(model, type)
    return cost === undefined ? [] : [[model.id, cost] as const]
  })
  return { ...Object.fromEntries(own), ...costs }
}

/** What the model's own file says that a provider of the type charges. */
export function findOwnCost({ upstreams = {} }: Model, type: string): UnitCost | undefined {
  return Object.hasOwn(upstreams, type) ? upstreams[type]?.cost : undefined
}
