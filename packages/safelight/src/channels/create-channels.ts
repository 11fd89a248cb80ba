/**
 * The channels of a service, from its configuration. A channel whose key is missing or malformed is left out
 * with a line that names its variable, so that the others serve. A wrong setting refuses the start.
 */
import {
  isHeaderSecret,
  MODELS,
  SafelightError,
  type Channel,
  type Log,
  type Model,
} from "@safelight/core"
import { createHttpChannel, PROVIDERS, type Provider } from "@safelight/channel-http"
import type { Route } from "@safelight/engine"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import { findMapping, listIds, listModelFaults, toChannelModels } from "./channel-models.ts"
import { createComfyUi } from "./create-comfyui.ts"
import { toKnownCosts } from "./known-costs.ts"
import { loadModule, makeByModule, type ChannelSetup, type CreateChannel } from "./load-module.ts"

export interface CreateChannelsOptions {
  readonly channels: readonly ChannelSettings[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly log: Log
  readonly createStudio: (settings: ChannelSettings) => Channel
  /** The public models; absent if the models' files were not loaded. */
  readonly models?: readonly Model[]
  /** Whether providers can fetch inputs from this service; false by default. */
  readonly canLink?: boolean
}

type ServedChannelsOptions = CreateChannelsOptions & Required<Pick<CreateChannelsOptions, "models">>

const BY_NAME: ReadonlyMap<string, Provider> = new Map(
  Object.values(PROVIDERS).map((each) => [each.name, each]),
)

/** Rejects with `invalid-configuration`, naming the channel, once those made before are closed again. */
export async function createChannels(options: ServedChannelsOptions): Promise<readonly Route[]> {
  const routes: Route[] = []
  try {
    for (const settings of options.channels) {
      // oxlint-disable-next-line no-await-in-loop -- in order, so that the first fault is the one reported
      const source = await findSource(settings)
      // oxlint-disable-next-line no-await-in-loop
      const channel = await makeChannel(source, settings, options)
      if (channel === undefined) continue
      const type = isProvider(source) ? source.name : settings.type
      const costs = toKnownCosts({ ...settings, type }, options.models)
      routes.push(toRoute(channel, settings, costs))
      const [stray] = listStrayCosts(settings, channel.models)
      if (stray !== undefined) throw invalid(`channels: ${channel.name}: ${stray}`)
    }
    requireModels(routes, options)
    return routes
  } catch (error) {
    await Promise.all(routes.map(async ({ channel }) => channel.close?.()))
    throw error
  }
}

function toRoute(
  channel: Channel,
  settings: ChannelSettings,
  costs: NonNullable<Route["costs"]>,
): Route {
  const { repeat: repeats, requestsPerMinute, tier = 1, weight = 1 } = settings
  return {
    channel,
    tier,
    weight,
    costs,
    ...(repeats !== undefined && { repeats }),
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
  }
}

/** `costs` for models that the channel does not make: mistakes, which would leave a cost unknown. */
export function listStrayCosts(
  { costs = {} }: Pick<ChannelSettings, "costs">,
  models: readonly string[],
): readonly string[] {
  return Object.keys(costs)
    .filter((id) => !models.includes(id))
    .map((id) => `costs name ${id}, which it does not make`)
}

/**
 * Throws `invalid-configuration` if no channel is left, or one makes a model that nobody defines. A model that no
 * channel makes is only logged, since a key may come later.
 */
function requireModels(routes: readonly Route[], { log, models }: ServedChannelsOptions): void {
  if (routes.length === 0) {
    throw invalid("channels: none of them has its key, so nothing could be made")
  }
  const fault = routes.map(({ channel }) => findUndefined(channel, models)).find(Boolean)
  if (fault !== undefined) throw invalid(`channels: ${fault}`)
  for (const { id: model } of models) {
    if (routes.some(({ channel }) => channel.models.includes(model))) continue
    log.warn({ model }, "model without a channel")
  }
}

/** What is wrong with a channel that makes a model that nobody defines, in words for people. */
export function findUndefined(
  { models: made, name }: Pick<Channel, "models" | "name">,
  models: readonly Model[],
): string | undefined {
  // A channel may be able to make built-in models that are switched off.
  const known = new Set([...MODELS, ...models].map(({ id }) => id))
  const id = made.find((each) => !known.has(each))
  if (id === undefined) return undefined
  return `${name} is to make "${id}", which is no model: "models" of the configuration names the file that defines it`
}

/**
 * What a channel is made from: the studio, a ComfyUI server, a provider's declaration, or a function of the
 * operator's.
 */
export type ChannelSource = "comfyui" | "studio" | Provider | CreateChannel

/** Rejects with `invalid-configuration` if the type is unknown or the module can't be used. */
export async function findSource({ module, type }: ChannelSettings): Promise<ChannelSource> {
  if (module !== undefined) return loadModule(module)
  if (type === "comfyui" || type === "studio") return type
  const provider = BY_NAME.get(type ?? "")
  if (provider !== undefined) return provider
  const known = ["studio", "comfyui", ...BY_NAME.keys()].join(", ")
  throw invalid(`channels: "${type}" is no type: choose one of ${known}`)
}

/** Undefined if its key is missing or malformed. Rejects with `invalid-configuration`, naming the channel. */
export async function createChannel(
  settings: ChannelSettings,
  options: Omit<CreateChannelsOptions, "channels">,
): Promise<Channel | undefined> {
  return makeChannel(await findSource(settings), settings, options)
}

export function isProvider(source: ChannelSource): source is Provider {
  return typeof source === "object"
}

async function makeChannel(
  source: ChannelSource,
  settings: ChannelSettings,
  options: Omit<CreateChannelsOptions, "channels">,
): Promise<Channel | undefined> {
  if (source === "studio") return options.createStudio(settings)
  if (source === "comfyui") return createComfyUi(settings, options)
  if (typeof source !== "function") return createProviderChannel(source, settings, options)
  return makeByModule(settings.module ?? "", source, {
    ...toSetup(settings),
    environment: options.environment,
  })
}

/** What a module's function is given: the other settings are the engine's. */
function toSetup(settings: ChannelSettings): Omit<ChannelSetup, "environment"> {
  const {
    costs: _costs,
    models: _models,
    module: _module,
    repeat: _repeat,
    requestsPerMinute: _requestsPerMinute,
    tier: _tier,
    type: _type,
    weight: _weight,
    ...setup
  } = settings
  const [models, upstreams] = [listIds(settings), findMapping(settings)]
  return {
    ...setup,
    ...(models !== undefined && { models }),
    ...(upstreams !== undefined && { upstreams }),
  }
}

export interface FoundKey {
  readonly variable: string
  /** Empty if the variable is. */
  readonly key: string
}

export function readKey(
  settings: Pick<ChannelSettings, "keyVariable">,
  provider: Provider,
  environment: CreateChannelsOptions["environment"],
): FoundKey {
  const variable = settings.keyVariable ?? provider.keyVariable
  return { variable, key: environment[variable] ?? "" }
}

/** Undefined unless the provider signs its webhooks by a secret of the account; empty if the variable is. */
export function readWebhookSecret(
  settings: Pick<ChannelSettings, "webhookSecretVariable">,
  { webhook }: Provider,
  environment: CreateChannelsOptions["environment"],
): FoundKey | undefined {
  if (webhook?.scheme.kind !== "standard-webhooks") return undefined
  const variable = settings.webhookSecretVariable ?? webhook.scheme.secretVariable
  return { variable, key: environment[variable] ?? "" }
}

function toWebhookSecret(...found: Parameters<typeof readWebhookSecret>): {
  readonly webhookSecret?: string
} {
  const { key = "" } = readWebhookSecret(...found) ?? {}
  return key === "" ? {} : { webhookSecret: key }
}

function createProviderChannel(
  provider: Provider,
  settings: ChannelSettings,
  { canLink = false, environment, log, models }: Omit<CreateChannelsOptions, "channels">,
): Channel | undefined {
  const { baseUrl, concurrency, isFree, keyTtlMs, outputHosts } = settings
  const { name = provider.name, pollEvery } = settings
  const { key, variable } = readKey(settings, provider, environment)
  if (!isHeaderSecret(key)) {
    const reason = key === "" ? "the variable is empty" : "the variable holds what can be no key"
    log.error({ channel: name, variable, reason }, "channel left out")
    return undefined
  }
  const made = toChannelModels(provider, settings, models)
  const [fault] = listModelFaults(provider, made)
  if (fault !== undefined) throw invalid(`channels: ${name}: ${fault}`)
  return createHttpChannel({
    provider,
    key,
    name,
    canLink,
    models: made.ids,
    upstreams: made.upstreams,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(concurrency !== undefined && { concurrency }),
    ...(isFree !== undefined && { isFree }),
    ...(outputHosts !== undefined && { outputHosts }),
    ...(keyTtlMs !== undefined && { keyTtlMs }),
    ...(pollEvery !== undefined && { pollEvery }),
    ...toWebhookSecret(settings, provider, environment),
  })
}

function invalid(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message })
}
