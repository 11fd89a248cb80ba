/**
 * What is wrong with the channels of a configuration, one by one: their keys, addresses and models. That
 * every model has a price was seen when the configuration was read. Providers are asked what buys nothing;
 * a channel that `serve` would leave out is asked too, as far as it can be.
 */
import { createStudioChannel } from "@safelight/channel-studio"
import { isSafelightError, SILENT_LOG, type ChannelCheck } from "@safelight/core"
import { createGuardedFetch } from "@safelight/fetch-guarded"
import { toName, type ChannelSettings } from "../configuration/channel-settings.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { createChannel, findProvider, type CreateChannelsOptions } from "./create-channels.ts"
import { planChannels } from "./plan-channels.ts"

export interface ChannelReport {
  readonly channel: string
  readonly type: string
  /** Null where nothing was asked, or the answer says nothing of it. */
  readonly key: "taken" | "refused" | "unproved" | "none" | null
  /** In words for people; none where all is well. */
  readonly problems: readonly string[]
}

type CheckOptions = Pick<CreateChannelsOptions, "environment"> & {
  readonly configuration: Pick<Configuration, "channels">
}

export function checkChannels(options: CheckOptions): Promise<readonly ChannelReport[]> {
  const { channels } = options.configuration
  const plans = planChannels({ channels, environment: options.environment })
  return Promise.all(
    channels.map(async (settings, index): Promise<ChannelReport> => {
      const { faults = [] } = plans[index] ?? {}
      const found = await ask(settings, options)
      const problems = [
        ...faults,
        ...(found === undefined || found.kind === "ready" ? [] : [found.reason]),
      ]
      return { channel: toName(settings), type: settings.type, key: toKey(found), problems }
    }),
  )
}

/** Undefined where there is no channel to ask, which the plan says why. */
async function ask(
  { models: _models, ...settings }: ChannelSettings,
  { environment }: CheckOptions,
): Promise<ChannelCheck | undefined> {
  if (settings.type !== "studio" && findProvider(settings.type) === undefined) return undefined
  try {
    const channel = createChannel(settings, {
      environment,
      log: SILENT_LOG,
      createStudio: () => createStudioChannel({ media: createGuardedFetch({}) }),
    })
    try {
      return await channel?.check?.()
    } finally {
      await channel?.close?.()
    }
  } catch (error) {
    if (!isSafelightError(error)) throw error
    return { kind: "unavailable", reason: error.message }
  }
}

function toKey(found: ChannelCheck | undefined): ChannelReport["key"] {
  switch (found?.kind) {
    case "ready":
      return found.key
    case "refused":
      return "refused"
    case "unavailable":
    case undefined:
      return null
  }
}
