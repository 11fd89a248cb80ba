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
  readKey,
  readWebhookSecret,
  type FoundKey,
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
  /** What it does without, though it serves; absent where there is nothing to say. */
  readonly notes?: readonly string[]
}

type Told = Pick<ChannelPlan, "name" | "models" | "faults" | "notes">

export function planChannels({
  channels,
  environment,
}: Pick<CreateChannelsOptions, "channels" | "environment">): Promise<readonly ChannelPlan[]> {
  return Promise.all(
    channels.map(async (settings) => {
      const { module, tier = 1, type = module ?? "", weight = 1 } = settings
      const told = await tell(settings, environment).catch((error: unknown): Told => {
        if (!isSafelightError(error)) throw error
        const { models = listWorkflows(settings), name = type } = settings
        return { name, models, faults: [error.message] }
      })
      return { ...told, type, tier, weight }
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
  if (source === "comfyui") return tellOfComfyUi(settings, environment)
  if (typeof source === "function") return tellOfMade(settings, environment)
  return tellOfProvider(source, settings, environment)
}

/** Made to be told of: what is wrong with its workflows shows only then. */
async function tellOfComfyUi(settings: ChannelSettings, environment: Environment): Promise<Told> {
  const { keyVariable = "", models = listWorkflows(settings), name = "comfyui" } = settings
  const channel = await createQuietChannel(settings, environment)
  await channel?.close?.()
  return { name, models, faults: channel === undefined ? [`${keyVariable} is empty`] : [] }
}

function listWorkflows({ workflows = {} }: ChannelSettings): readonly string[] {
  return Object.keys(workflows)
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
    ...toNotes(readWebhookSecret(settings, provider, environment)),
  }
}

function toNotes(secret: FoundKey | undefined): Pick<Told, "notes"> {
  if (secret?.key !== "") return {}
  return { notes: [`${secret.variable} is empty, so it is polled and not asked to call back`] }
}

function listUnknown(models: readonly string[], provider: Provider): readonly string[] {
  return models
    .filter((id) => findModel(provider, id) === undefined)
    .map((id) => `${provider.name} has no model ${id}`)
}
