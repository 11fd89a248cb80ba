/**
 * What the configured channels declare of a purchase in doubt. No provider is asked and no key is needed: a backup is
 * often judged on a machine that has none.
 */
import { isSafelightError, type Channel } from "@safelight/core"
import type { PurchasingChannel, PurchasingChannels } from "@safelight/audit"
import type { ChannelSettings } from "../configuration/channel-settings.ts"
import type { Configuration } from "../configuration/configuration.ts"
import { findSource, isProvider, readKey } from "./create-channels.ts"
import { createQuietChannel, type PlanSurroundings } from "./plan-channels.ts"

type Environment = PlanSurroundings["environment"]

/** Without those that can't be made, whose purchases nobody can tell. */
export async function declareChannels(
  { channels, models }: Pick<Configuration, "channels" | "models">,
  environment: Environment,
): Promise<PurchasingChannels> {
  const declared = await Promise.all(
    channels.map(async (settings) => {
      const channel = await make(settings, { models, environment }).catch(orNone)
      await channel?.close?.()
      return channel === undefined ? [] : [[channel.name, declare(channel, settings)] as const]
    }),
  )
  return new Map(declared.flat())
}

function orNone(error: unknown): undefined {
  if (!isSafelightError(error)) throw error
}

async function make(
  settings: ChannelSettings,
  { environment, ...surroundings }: PlanSurroundings,
): Promise<Channel | undefined> {
  const source = await findSource(settings)
  if (!isProvider(source)) return createQuietChannel(settings, { ...surroundings, environment })
  const { key, variable } = readKey(settings, source, environment)
  const keyed = key === "" ? { ...environment, [variable]: "none" } : environment
  return createQuietChannel(settings, { ...surroundings, environment: keyed })
}

/** With repeats allowed, a free channel that can't be asked is sent the same key for as long as the task lives. */
function declare(channel: Channel, { repeat = false }: ChannelSettings): PurchasingChannel {
  const { isFree, submission, submitTimeoutMs } = channel
  const isRepeated = repeat && isFree === true && submission.kind !== "lookup"
  const kept = isRepeated ? ({ kind: "keyed", keyTtlMs: Infinity } as const) : submission
  return { submission: kept, submitTimeoutMs, canFind: channel.find !== undefined }
}
