/**
 * The channels of a service from its configuration. One without a key is left out with a line that
 * says which variable is missing, so that the others serve; a wrong setting refuses the start.
 */
import { SafelightError, type Channel, type Log } from "@safelight/core"
import { createHttpChannel, PROVIDERS, type Provider } from "@safelight/channel-http"
import type { Route } from "@safelight/engine"
import { toName, type ChannelSettings } from "../configuration/channel-settings.ts"

export interface CreateChannelsOptions {
  readonly channels: readonly ChannelSettings[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly log: Log
  readonly createStudio: (settings: ChannelSettings) => Channel
}

const BY_NAME: ReadonlyMap<string, Provider> = new Map(PROVIDERS.map((each) => [each.name, each]))

/** Throws `invalid-configuration`, naming the channel. */
export function createChannels(options: CreateChannelsOptions): readonly Route[] {
  const { channels, createStudio } = options
  const routes = channels.flatMap((settings) => {
    const { tier = 1, type, weight = 1 } = settings
    const channel =
      type === "studio" ? createStudio(settings) : createProviderChannel(settings, options)
    return channel === undefined ? [] : { channel, tier, weight }
  })
  if (routes.length > 0) return routes
  const message = "channels: none of them has its key, so nothing could be made"
  throw new SafelightError({ code: "invalid-configuration", message })
}

function createProviderChannel(
  settings: ChannelSettings,
  { environment, log }: CreateChannelsOptions,
): Channel | undefined {
  const { type, baseUrl, concurrency, models } = settings
  const name = toName(settings)
  const provider = BY_NAME.get(type)
  if (provider === undefined) {
    const known = ["studio", ...BY_NAME.keys()].join(", ")
    const message = `channels: "${type}" is no type: choose one of ${known}`
    throw new SafelightError({ code: "invalid-configuration", message })
  }
  const variable = settings.keyVariable ?? provider.keyVariable
  const key = environment[variable] ?? ""
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
