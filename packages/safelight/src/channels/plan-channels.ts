/**
 * The channels of a configuration as far as they can be told without asking anybody: which models each is
 * to make, and why `serve` would leave it out or refuse to start. What an operator's own function makes is
 * made for it, since nothing else tells its name and models.
 */
import { createStudioChannel, STUDIO_MODELS } from "@safelight/channel-studio"
import { findModel, type Provider } from "@safelight/channel-http"
import { isSafelightError, SILENT_LOG, type Channel } from "@safelight/core"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import {
  createChannel,
  findSource,
  findUndefined,
  listStrayCosts,
  readKey,
  type CreateChannelsOptions,
} from "./create-channels.ts"

type Surroundings = Pick<CreateChannelsOptions, "environment" | "models">

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

/** Whether a model that a channel names is there is told where `models` are. */
export function planChannels({
  channels,
  ...surroundings
}: Surroundings & Pick<CreateChannelsOptions, "channels">): Promise<readonly ChannelPlan[]> {
  return Promise.all(
    channels.map(async (settings) => {
      const { module, tier = 1, type = module ?? "", weight = 1 } = settings
      const told = await tell(settings, surroundings).catch((error: unknown): Told => {
        if (!isSafelightError(error)) throw error
        const { models = listWorkflows(settings), name = type } = settings
        return { name, models, faults: [error.message] }
      })
      const strange = surroundings.models && findUndefined(told, surroundings.models)
      const stray = listStrayCosts(settings, told.models)
      const faults = [...told.faults, ...(strange === undefined ? [] : [strange]), ...stray]
      return { ...told, faults, type, tier, weight }
    }),
  )
}

/** A channel that serves nobody: it says nothing, and its studio has no sandbox. */
export function createQuietChannel(
  settings: ChannelSettings,
  surroundings: Surroundings,
): Promise<Channel | undefined> {
  return createChannel(settings, { ...surroundings, log: SILENT_LOG, createStudio })
}

function createStudio(): Channel {
  return createStudioChannel({ media: createGuardedFetch({}) })
}

async function tell(settings: ChannelSettings, surroundings: Surroundings): Promise<Told> {
  const source = await findSource(settings)
  // The studio makes all it can, whatever is said.
  if (source === "studio") {
    return { name: settings.name ?? source, models: STUDIO_MODELS, faults: [] }
  }
  if (source === "comfyui") return tellOfComfyUi(settings, surroundings)
  if (typeof source === "function") return tellOfMade(settings, surroundings)
  return tellOfProvider(source, settings, surroundings)
}

/** Made to be told of: what is wrong with its workflows shows only then. */
async function tellOfComfyUi(settings: ChannelSettings, surroundings: Surroundings): Promise<Told> {
  const { keyVariable = "", models = listWorkflows(settings), name = "comfyui" } = settings
  const channel = await createQuietChannel(settings, surroundings)
  await channel?.close?.()
  return { name, models, faults: channel === undefined ? [`${keyVariable} is empty`] : [] }
}

function listWorkflows({ workflows = {} }: ChannelSettings): readonly string[] {
  return Object.keys(workflows)
}

async function tellOfMade(settings: ChannelSettings, surroundings: Surroundings): Promise<Told> {
  const channel = await createQuietChannel(settings, surroundings)
  await channel?.close?.()
  return { name: channel?.name ?? "", models: channel?.models ?? [], faults: [] }
}

function tellOfProvider(
  provider: Provider,
  settings: ChannelSettings,
  { environment }: Surroundings,
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
    .filter((id) => findModel(provider, id) === undefined)
    .map((id) => `${provider.name} has no model ${id}`)
}
