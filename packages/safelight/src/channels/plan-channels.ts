/**
 * The channels of a configuration, as far as they are known without asking a provider: which models each
 * makes, and why `serve` would leave it out or refuse to start. An operator's own function is called for it,
 * since only the channel that it makes tells its name and models.
 */
import { createStudioChannel, STUDIO_MODELS } from "@safelight/channel-studio"
import type { Provider } from "@safelight/channel-http"
import { isHeaderSecret, isSafelightError, SILENT_LOG, type Channel } from "@safelight/core"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import { createMediaInspector } from "@safelight/media-inspector"
import { listIds, listModelFaults, toChannelModels } from "./channel-models.ts"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import {
  createChannel,
  findSource,
  findUndefined,
  listStrayCosts,
  readKey,
  readWebhookSecret,
  type FoundKey,
  type CreateChannelsOptions,
} from "./create-channels.ts"

/** Without `models` no workflow is checked: the models' files would have to be run. */
export interface PlanSurroundings extends Pick<CreateChannelsOptions, "environment" | "models"> {
  /** Why no module may run, in words for people; absent if they may. */
  readonly codeFault?: string | undefined
}

export interface ChannelPlan {
  readonly name: string
  /** The type, or the path of the module. */
  readonly type: string
  readonly tier: number
  readonly weight: number
  readonly models: readonly string[]
  /** The provider's own ids of those that are mapped by data. */
  readonly upstreams?: Readonly<Record<string, string>>
  /** In words for people; empty if it can be made. */
  readonly faults: readonly string[]
  /** How it makes the mapped models, in words for people. */
  readonly mappings?: readonly string[]
  /** What it lacks although it serves; absent if it lacks nothing. */
  readonly notes?: readonly string[]
}

type Description = Pick<
  ChannelPlan,
  "name" | "models" | "upstreams" | "mappings" | "faults" | "notes"
>

/** Whether a model that a channel names exists is checked only if `models` are given. */
export function planChannels({
  channels,
  ...surroundings
}: Pick<CreateChannelsOptions, "channels"> & PlanSurroundings): Promise<readonly ChannelPlan[]> {
  return Promise.all(
    channels.map(async (settings) => {
      const { module, tier = 1, type = module ?? "", weight = 1 } = settings
      const description = await describe(settings, surroundings).catch(
        (error: unknown): Description => {
          if (!isSafelightError(error)) throw error
          const { name = type } = settings
          const models = listIds(settings) ?? listWorkflows(settings)
          return { name, models, faults: [error.message] }
        },
      )
      const strange = surroundings.models && findUndefined(description, surroundings.models)
      const isStrange = description.faults.length === 0 && strange !== undefined
      const stray =
        description.faults.length === 0 ? listStrayCosts(settings, description.models) : []
      const faults = isStrange ? [strange] : [...description.faults, ...stray]
      return { ...description, faults, type, tier, weight }
    }),
  )
}

/** A channel that serves nobody: it logs nothing, and its studio has no sandbox. */
export function createQuietChannel(
  settings: ChannelSettings,
  surroundings: PlanSurroundings,
): Promise<Channel | undefined> {
  return createChannel(settings, { ...surroundings, log: SILENT_LOG, createStudio })
}

function createStudio(): Channel {
  return createStudioChannel({ media: createGuardedFetch({}), inspector: createMediaInspector() })
}

async function describe(
  settings: ChannelSettings,
  surroundings: PlanSurroundings,
): Promise<Description> {
  const { codeFault } = surroundings
  const { module, name = module ?? "" } = settings
  const models = listIds(settings) ?? []
  if (module !== undefined && codeFault !== undefined) return { name, models, faults: [codeFault] }
  const source = await findSource(settings)
  // The studio makes all of its models, whatever the configuration says.
  if (source === "studio") {
    return { name: settings.name ?? source, models: STUDIO_MODELS, faults: [] }
  }
  if (source === "comfyui") return describeComfyUi(settings, surroundings)
  if (typeof source === "function") return describeMade(settings, surroundings)
  return describeProvider(source, settings, surroundings)
}

async function describeComfyUi(
  settings: ChannelSettings,
  surroundings: PlanSurroundings,
): Promise<Description> {
  const { name = "comfyui" } = settings
  const models = listIds(settings) ?? listWorkflows(settings)
  const variables = [settings.keyVariable, settings.partnerKeyVariable]
  const faults = variables
    .filter((variable) => variable !== undefined && !surroundings.environment[variable])
    .map((variable) => `${variable} is empty`)
  const description = { name, models, faults }
  if (surroundings.models === undefined) return description
  // Faults of its workflows show only once it is made.
  const channel = await createQuietChannel(settings, surroundings)
  await channel?.close?.()
  return description
}

function listWorkflows({ workflows = {} }: ChannelSettings): readonly string[] {
  return Object.keys(workflows)
}

async function describeMade(
  settings: ChannelSettings,
  surroundings: PlanSurroundings,
): Promise<Description> {
  const channel = await createQuietChannel(settings, surroundings)
  await channel?.close?.()
  const faults = listRepeatFaults(settings, channel?.isFree === true)
  return { name: channel?.name ?? "", models: channel?.models ?? [], faults }
}

function describeProvider(
  provider: Provider,
  settings: ChannelSettings,
  { environment, models: served }: PlanSurroundings,
): Description {
  const { name = provider.name } = settings
  const made = toChannelModels(provider, settings, served)
  const { key, variable } = readKey(settings, provider, environment)
  const faults = [
    ...listKeyFaults(variable, key),
    ...listModelFaults(provider, made, served !== undefined),
    ...listRepeatFaults(settings, provider.isFree === true || settings.isFree === true),
  ]
  const mapped = Object.entries(made.upstreams).map(([id, { model }]) => [id, model] as const)
  return {
    name,
    models: made.ids,
    faults,
    ...(mapped.length > 0 && {
      upstreams: Object.fromEntries(mapped),
      mappings: mapped.map((each) => toMappingWords(provider, ...each)),
    }),
    ...toNotes(readWebhookSecret(settings, provider, environment)),
  }
}

function toMappingWords({ hasModel }: Provider, id: string, own: string): string {
  const unasked = ", which only a purchase can prove to exist"
  return `${id} is ${own} there${hasModel === undefined ? unasked : ""}`
}

function listKeyFaults(variable: string, key: string): readonly string[] {
  if (key === "") return [`${variable} is empty`]
  return isHeaderSecret(key) ? [] : [`${variable} holds what no key does`]
}

function toNotes(secret: FoundKey | undefined): Pick<Description, "notes"> {
  if (secret?.key !== "") return {}
  return { notes: [`${secret.variable} is empty, so it is polled and not asked to call back`] }
}

function listRepeatFaults({ repeat = false }: ChannelSettings, isFree: boolean): readonly string[] {
  return repeat && !isFree ? ["repeat is for a channel that costs nothing"] : []
}
