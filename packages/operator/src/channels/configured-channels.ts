/**
 * The channels that a process was configured with, as a port: the service plans them from its configuration file, and
 * a host that makes its channels itself hands these in.
 */
import {
  isSafelightError,
  type Channel,
  type ChannelCheck,
  type ChannelCheckReport,
  type ChannelLimits,
} from "@safelight/core"

export interface ConfiguredChannels {
  /** In the order of the configuration. Asked often. */
  list(): Promise<readonly ConfiguredChannel[]>
  /** What is wrong with one that is listed. Asks its provider, and buys nothing. */
  check(name: string): Promise<ChannelCheckReport>
}

export interface ConfiguredChannel {
  readonly name: string
  /** The type, or the path of the module. */
  readonly type: string
  readonly tier: number
  readonly weight: number
  readonly models: readonly string[]
  /** The provider's own ids of those that the operator maps to one. */
  readonly upstreams?: Readonly<Record<string, string>>
  /** Why it does not serve, in words for people; empty if it does. */
  readonly faults: readonly string[]
  /** Absent if this process does not have it. */
  readonly limits?: ChannelLimits
}

/** For a host's own channels. */
export function toConfiguredChannels(channels: readonly Channel[]): ConfiguredChannels {
  return {
    list: async () =>
      channels.map(({ concurrency, models, name, requestsPerMinute = null }) => ({
        name,
        type: name,
        tier: 1,
        weight: 1,
        models,
        faults: [],
        limits: { concurrency, requestsPerMinute },
      })),
    async check(name) {
      const channel = channels.find((each) => each.name === name)
      return toCheckReport({ name, type: name, faults: [] }, await check(channel))
    },
  }
}

async function check(channel: Channel | undefined): Promise<ChannelCheck | undefined> {
  try {
    return await channel?.check?.()
  } catch (error) {
    if (!isSafelightError(error)) throw error
    return { kind: "unavailable", reason: error.message }
  }
}

/** `found` is undefined if the channel was not asked: it was not made, or has no check. */
export function toCheckReport(
  { faults, name, type }: Pick<ConfiguredChannel, "faults" | "name" | "type">,
  found: ChannelCheck | undefined,
): ChannelCheckReport {
  const isReady = found === undefined || found.kind === "ready"
  // The plan and the check both report what keeps a channel from being made.
  const problems = new Set([...faults, ...(isReady ? [] : [found.reason])])
  return { channel: name, type, key: toKey(found), problems: [...problems] }
}

function toKey(found: ChannelCheck | undefined): ChannelCheckReport["key"] {
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
