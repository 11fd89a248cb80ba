/**
 * The channels of a service from its configuration. One without a key is left out with a line that
 * says which variable is missing, so that the others serve; a wrong setting refuses the start.
 */
import { SafelightError, type Channel, type Log } from "@safelight/core"
import { createHttpChannel, fal, type Provider } from "@safelight/channel-http"
import type { Route } from "@safelight/engine"
import { toName, type ChannelSettings } from "../configuration/channel-settings.ts"

export interface CreateChannelsOptions {
  readonly channels: readonly ChannelSettings[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly log: Log
  readonly createStudio: (settings: ChannelSettings) => Channel
}

const PROVIDERS: ReadonlyMap<string, Provider> = new Map([fal].map((each) => [each.name, each]))

/** Throws `invalid-configuration`, naming the channel. */
export function createChannels(options: CreateChannelsOptions): readonly Route[] {
  const { channels } = options
  const routes = channels.flatMap((settings) => {
    const { tier = 1, weight = 1 } = settings
    const channel = createChannel(settings, options)
    return channel === undefined ? [] : { channel, tier, weight }
  })
  if (routes.length > 0) return routes
  const message = "channels: none of them has its key, so nothing could be made"
  throw new SafelightError({ code: "invalid-configuration", message })
}

/** Undefined where its key is missing. Throws `invalid-configuration`, naming the channel. */
export function createChannel(
  settings: ChannelSettings,
  options: Omit<CreateChannelsOptions, "channels">,
): Channel | undefined {
  if (settings.type === "studio") return options.createStudio(settings)
  return createProviderChannel(settings, options)
}

export function findProvider(type: string): Provider | undefined {
  return PROVIDERS.get(type)
}

export function describeUnknownType(type: string): string {
  const known = ["studio", ...PROVIDERS.keys()].join(", ")
  return `"${type}" is no type: choose one of ${known}`
}

export interface FoundKey {
  readonly variable: string
  /** Empty where the variable is. */
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

function createProviderChannel(
  settings: ChannelSettings,
  { environment, log }: Pick<CreateChannelsOptions, "environment" | "log">,
): Channel | undefined {
  const { type, baseUrl, concurrency, models } = settings
  const name = toName(settings)
  const provider = findProvider(type)
  if (provider === undefined) {
    const message = `channels: ${describeUnknownType(type)}`
    throw new SafelightError({ code: "invalid-configuration", message })
  }
  const { key, variable } = readKey(settings, provider, environment)
  if (key === "") {
    log.error(
      { channel: name, variable },
      "a channel is left out: the variable with its key is empty",
    )
    return undefined
  }
  return createHttpChannel({
    provider,
    key,
    name,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(concurrency !== undefined && { concurrency }),
    ...(models !== undefined && { models }),
  })
}
