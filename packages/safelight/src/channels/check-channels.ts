/**
 * What is wrong with the channels of a configuration, one by one: their keys, addresses and models. That
 * every model has a price was seen when the configuration was read. Providers are asked what buys nothing;
 * a channel that `serve` would leave out is asked too, as far as it can be.
 */
import type { ChannelCheck } from "@safelight/core"
import { toChannelFault } from "@safelight/engine"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import type { Configuration } from "../configuration/configuration.ts"
import type { CreateChannelsOptions } from "./create-channels.ts"
import { createQuietChannel, planChannels } from "./plan-channels.ts"

export interface ChannelReport {
  readonly channel: string
  /** Or the path of its module. */
  readonly type: string
  /** Null where nothing was asked, or the answer says nothing of it. */
  readonly key: "taken" | "refused" | "unproved" | "none" | null
  /** In words for people; none where all is well. */
  readonly problems: readonly string[]
}

type CheckOptions = Pick<CreateChannelsOptions, "environment"> & {
  readonly configuration: Pick<Configuration, "channels" | "models">
}

export async function checkChannels(options: CheckOptions): Promise<readonly ChannelReport[]> {
  const { channels, models } = options.configuration
  const plans = await planChannels({ channels, models, environment: options.environment })
  return Promise.all(
    plans.map(async ({ faults, name, type }, index): Promise<ChannelReport> => {
      const settings = channels[index]
      const { models: _models, ...plain } = settings ?? {}
      // A model that there is not keeps the others of its channel from being asked about.
      const found = settings && (await ask(faults.length === 0 ? settings : plain, options))
      const isReady = found === undefined || found.kind === "ready"
      // What keeps a channel from being made is said by both.
      const problems = new Set([...faults, ...(isReady ? [] : [found.reason])])
      return { channel: name, type, key: toKey(found), problems: [...problems] }
    }),
  )
}

/** Undefined where there is no channel to ask, which the plan says why, or where it has no check. */
async function ask(
  settings: ChannelSettings,
  { configuration: { models }, environment }: CheckOptions,
): Promise<ChannelCheck | undefined> {
  try {
    const channel = await createQuietChannel(settings, { environment, models })
    try {
      return await channel?.check?.()
    } finally {
      await channel?.close?.()
    }
  } catch (error) {
    // A file of the operator's own may throw anything: the others are checked all the same.
    const { message } = toChannelFault(error)
    return { kind: "unavailable", reason: message }
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
