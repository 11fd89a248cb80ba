/**
 * The channels of a configuration as far as they can be told without asking anybody: which models each is
 * to make, and why `serve` would leave it out or refuse to start. What an operator's own function makes is
 * made for it, since nothing else tells its name and models.
 */
import { createStudioChannel, STUDIO_MODELS } from "@safelight/channel-studio"
import type { Provider } from "@safelight/channel-http"
import { isSafelightError, SILENT_LOG, type Channel } from "@safelight/core"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import {
  createChannel,
  findSource,
  listStrayCosts,
  readKey,
  type CreateChannelsOptions,
} from "./create-channels.ts"

type Environment = CreateChannelsOptions["environment"]

export interface ChannelPlan {
  readonly name: string
  /** Or the path of its module. */
  readonly type: string
  readonly tier: number
  readonly weight: number
  readonly models: readonly string[]
  /** In words for people; empty where it can be made. */
  readonly faults: readonly string[]
}

type Told = Pick<ChannelPlan, "name" | "models" | "faults">

export function planChannels({
  channels,
  environment,
}: Pick<CreateChannelsOptions, "channels" | "environment">): Promise<readonly ChannelPlan[]> {
  return Promise.all(
    channels.map(async (settings) => {
      const { module, tier = 1, type = module ?? "", weight = 1 } = settings
      const told = await tell(settings, environment).catch((error: unknown): Told => {
        if (!isSafelightError(error)) throw error
        const { models = [], name = type } = settings
        return { name, models, faults: [error.message] }
      })
      const faults = [...told.faults, ...listStrayCosts(settings, told.models)]
      return { ...told, faults, type, tier, weight }
    }),
  )
}

/** A channel that serves nobody: it says nothing, and its studio has no sandbox. */
export function createQuietChannel(
  settings: ChannelSettings,
  environment: Environment,
): Promise<Channel | undefined> {
  return createChannel(settings, { environment, log: SILENT_LOG, createStudio })
}

function createStudio(): Channel {
  return createStudioChannel({ media: createGuardedFetch({}) })
}

async function tell(settings: ChannelSettings, environment: Environment): Promise<Told> {
  const source = await findSource(settings)
  // The studio makes all it can, whatever is said.
  if (source === "studio") {
    return { name: settings.name ?? source, models: STUDIO_MODELS, faults: [] }
  }
  if (typeof source === "function") return tellOfMade(settings, environment)
  return tellOfProvider(source, settings, environment)
}

async function tellOfMade(settings: ChannelSettings, environment: Environment): Promise<Told> {
  const channel = await createQuietChannel(settings, environment)
  await channel?.close?.()
  return { name: channel?.name ?? "", models: channel?.models ?? [], faults: [] }
}

function tellOfProvider(
  provider: Provider,
  settings: ChannelSettings,
  environment: Environment,
): Told {
  const { models = Object.keys(provider.models), name = provider.name } = settings
  const { key, variable } = readKey(settings, provider, environment)
  const isKeyless = key === ""
  return {
    name,
    models,
    faults: [...(isKeyless ? [`${variable} is empty`] : []), ...listUnknown(models, provider)],
  }
}

function listUnknown(models: readonly string[], provider: Provider): readonly string[] {
  return models
    .filter((id) => !Object.hasOwn(provider.models, id))
    .map((id) => `${provider.name} has no model ${id}`)
}
