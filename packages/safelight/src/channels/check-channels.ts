/**
 * What is wrong with the channels of a configuration, one by one: their keys, addresses and models. That every
 * model has a price was checked when the configuration was read. Only requests that buy nothing are sent. A
 * channel that `serve` would leave out is checked too, as far as possible.
 */
import type { ChannelCheck, ChannelCheckReport } from "@safelight/core"
import { toChannelFault } from "@safelight/engine"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import type { Configuration } from "../configuration/configuration.ts"
import type { CreateChannelsOptions } from "./create-channels.ts"
import { createQuietChannel, planChannels, type ChannelPlan } from "./plan-channels.ts"

export type CheckOptions = Pick<CreateChannelsOptions, "environment"> & {
  readonly configuration: Pick<Configuration, "channels" | "models" | "publicUrl">
}

export async function checkChannels(options: CheckOptions): Promise<readonly ChannelCheckReport[]> {
  const { channels, models } = options.configuration
  const plans = await planChannels({ channels, models, environment: options.environment })
  return Promise.all(plans.map((plan, index) => checkPlanned(plan, channels[index], options)))
}

/** `settings` are those that the plan was made of. */
export async function checkPlanned(
  { faults, name, notes, type }: ChannelPlan,
  settings: ChannelSettings | undefined,
  options: CheckOptions,
): Promise<ChannelCheckReport> {
  const { models: _models, ...plain } = settings ?? {}
  // A model that does not exist must not keep the other models from being checked.
  const found = settings && (await ask(faults.length === 0 ? settings : plain, options))
  const isReady = found === undefined || found.kind === "ready"
  // The plan and the check both report what keeps a channel from being made.
  const problems = new Set([...faults, ...(isReady ? [] : [found.reason])])
  // Without a public address there are no callbacks, so nothing about them is lacking.
  const hasNotes = options.configuration.publicUrl !== undefined && notes !== undefined
  const more = hasNotes ? { notes } : {}
  return { channel: name, type, key: toKey(found), problems: [...problems], ...more }
}

/** Undefined if there is no channel to check, for which the plan has the reason, or if it has no check. */
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
    // An operator's file may throw anything: the other channels are checked all the same.
    const { message } = toChannelFault(error)
    return { kind: "unavailable", reason: message }
  }
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
