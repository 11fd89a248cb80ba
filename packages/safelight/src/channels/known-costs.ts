/**
 * What a channel charges for each model, as far as it is known: as its `costs` say, or else its mapping of models, or
 * else the models' own files of its type. A server of one's own has the address, and not the prices, of a provider.
 */
import type { Model, UnitCost, UpstreamCost } from "@safelight/core"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import { findMapping } from "./channel-models.ts"

type Charging = Pick<ChannelSettings, "baseUrl" | "costs" | "models"> & {
  /** Of the provider. */
  readonly type?: string | undefined
}

export function toKnownCosts(
  settings: Charging,
  models: readonly Model[],
): Readonly<Record<string, UnitCost>> {
  const { baseUrl, costs = {}, type } = settings
  const files = type === undefined || baseUrl !== undefined ? [] : models
  const own = files.flatMap((model) => toEntry(model.id, findOwnCost(model, type ?? "")))
  const mapping = Object.entries(findMapping(settings) ?? {})
  const mapped = mapping.flatMap(([id, { cost }]) => toEntry(id, toUnitCost(cost)))
  return { ...Object.fromEntries([...own, ...mapped]), ...costs }
}

/** What the model's own file says that a provider of the type charges. */
export function findOwnCost({ upstreams = {} }: Model, type: string): UnitCost | undefined {
  return Object.hasOwn(upstreams, type) ? toUnitCost(upstreams[type]?.cost) : undefined
}

/** Without where it was read; undefined if that is all that it says. */
function toUnitCost(cost: UpstreamCost | undefined): UnitCost | undefined {
  const { read: _read, source: _source, ...unit } = cost ?? {}
  return Object.keys(unit).length > 0 ? unit : undefined
}

function toEntry(id: string, cost: UnitCost | undefined): readonly (readonly [string, UnitCost])[] {
  return cost === undefined ? [] : [[id, cost]]
}
