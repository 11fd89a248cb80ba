/**
 * The channels of a configuration as far as they can be told without making one: which models each is to
 * make, and why `serve` would leave it out or refuse to start. No provider is asked anything.
 */
import type { Provider } from "@safelight/channel-http"
import { STUDIO_MODELS } from "@safelight/channel-studio"
import { toName, type ChannelSettings } from "../configuration/channel-settings.ts"
import {
  describeUnknownType,
  findProvider,
  readKey,
  type CreateChannelsOptions,
} from "./create-channels.ts"

export interface ChannelPlan {
  readonly name: string
  readonly type: string
  readonly tier: number
  readonly weight: number
  readonly models: readonly string[]
  /** In words for people; empty where it can be made. */
  readonly faults: readonly string[]
}

export function planChannels({
  channels,
  environment,
}: Pick<CreateChannelsOptions, "channels" | "environment">): readonly ChannelPlan[] {
  return channels.map((settings) => {
    const { tier = 1, type, weight = 1 } = settings
    return { name: toName(settings), type, tier, weight, ...planModels(settings, environment) }
  })
}

function planModels(
  settings: ChannelSettings,
  environment: CreateChannelsOptions["environment"],
): Pick<ChannelPlan, "faults" | "models"> {
  const { models = [], type } = settings
  // The studio makes all it can, whatever is said.
  if (type === "studio") return { models: STUDIO_MODELS, faults: [] }
  const provider = findProvider(type)
  if (provider === undefined) return { models, faults: [describeUnknownType(type)] }
  const { key, variable } = readKey(settings, provider, environment)
  return {
    models: settings.models ?? Object.keys(provider.models),
    faults: [...(key === "" ? [`${variable} is empty`] : []), ...listUnknown(models, provider)],
  }
}

function listUnknown(models: readonly string[], provider: Provider): readonly string[] {
  return models
    .filter((id) => !Object.hasOwn(provider.models, id))
    .map((id) => `${provider.name} has no model ${id}`)
}
