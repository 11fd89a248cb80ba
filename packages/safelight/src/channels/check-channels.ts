/**
 * What is wrong with the channels of a configuration, one by one: their keys, addresses and models. That every
 * model has a price was checked when the configuration was read. Only requests that buy nothing are sent. A
 * channel that `serve` would leave out is checked too, as far as possible.
 */
import type { ChannelCheck, ChannelCheckReport } from "@safelight/core"
import { toChannelFault } from "@safelight/engine"
import { toCheckReport } from "@safelight/operator"
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
  plan: ChannelPlan,
  settings: ChannelSettings | undefined,
  options: CheckOptions,
): Promise<ChannelCheckReport> {
  const { faults, notes } = plan
  const { models: _models, ...plain } = settings ?? {}
  // A model that does not exist must not keep the other models from being checked.
  const found = settings && (await ask(faults.length === 0 ? settings : plain, options))
  // Without a public address there are no callbacks, so nothing about them is lacking.
  const hasNotes = options.configuration.publicUrl !== undefined && notes !== undefined
  const told = [...(hasNotes ? notes : []), ...(plan.mappings ?? [])]
  return { ...toCheckReport(plan, found), ...(told.length > 0 && { notes: told }) }
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
