/**
 * Which channels there are to pause or resume: those of the configuration, and others that the database has
 * tasks, outcomes or a pause of.
 */
import type { Storage } from "@safelight/core"
import { sumLastDay } from "./last-day.ts"
import type { ChannelPlan } from "./plan-channels.ts"

type Known = Pick<Storage, "countInFlight" | "listPausedChannels" | "sumOutcomes">
type Named = Pick<ChannelPlan, "name">

export async function isKnownChannel(
  storage: Known,
  name: string,
  plans: readonly Named[],
): Promise<boolean> {
  // The database is asked only for what the configuration does not know.
  if (plans.some((plan) => plan.name === name)) return true
  return (await listKnownChannels(storage, plans)).includes(name)
}

export async function listKnownChannels(
  storage: Known,
  plans: readonly Named[],
): Promise<readonly string[]> {
  const lists = await Promise.all([
    storage.listPausedChannels(),
    storage.countInFlight(),
    sumLastDay(storage),
  ])
  const seen = lists.flat().map(({ channel }) => channel)
  return [...new Set([...plans.map(({ name }) => name), ...seen])]
}
