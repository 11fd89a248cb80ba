/**
 * Which channels there are to pause or resume: those of the configuration, and others that the database has
 * tasks, outcomes or a pause of. Pausing any other name would change nothing and report success.
 */
import type { Storage } from "@safelight/core"
import type { ConfiguredChannels } from "./configured-channels.ts"
import { sumLastDay } from "./last-day.ts"

export interface KnownChannelsOptions {
  readonly storage: Pick<Storage, "countInFlight" | "listPausedChannels" | "sumOutcomes">
  readonly channels: Pick<ConfiguredChannels, "list">
  readonly clock: { readonly now: () => number }
}

export async function isKnownChannel(
  options: KnownChannelsOptions,
  name: string,
): Promise<boolean> {
  // The database is asked only for what the configuration does not know.
  const configured = await options.channels.list()
  if (configured.some((each) => each.name === name)) return true
  return (await listKnownChannels(options)).includes(name)
}

export async function listKnownChannels({
  channels,
  clock,
  storage,
}: KnownChannelsOptions): Promise<readonly string[]> {
  const configured = await channels.list()
  const lists = await Promise.all([
    storage.listPausedChannels(),
    storage.countInFlight(),
    sumLastDay(storage, clock.now()),
  ])
  const seen = lists.flat().map(({ channel }) => channel)
  return [...new Set([...configured.map(({ name }) => name), ...seen])]
}
