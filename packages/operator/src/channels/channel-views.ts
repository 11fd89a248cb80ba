/**
 * The channels as the configuration and the database know them together. The database also has channels that are no
 * longer configured.
 */
import {
  HOST_REFUSED,
  type ChannelLoad,
  type ChannelStanding,
  type ChannelTrouble,
  type ChannelView,
  type PausedChannel,
  type QueueStorage,
  type Storage,
} from "@safelight/core"
import type { ConfiguredChannel } from "./configured-channels.ts"

/** What needs no sum over outcomes. */
export type PlainChannelView = Omit<ChannelView, "hours">

export interface ChannelFacts {
  readonly configured: readonly ConfiguredChannel[]
  readonly paused: readonly PausedChannel[]
  readonly loads: readonly ChannelLoad[]
  /** By name, how many processes have its breaker open; a missing name means none. */
  readonly leftAlone: ReadonlyMap<string, number>
  /** As processes reported them: several may have reported the same. */
  readonly troubles: readonly ChannelTrouble[]
  /** Channels that had tasks lately; a name may stand there several times. */
  readonly outcomes: readonly { readonly channel: string }[]
}

/** From the leases of processes. */
export async function readReportedFacts(
  storage: Pick<QueueStorage, "listLeases">,
): Promise<Pick<ChannelFacts, "leftAlone" | "troubles">> {
  const counts = new Map<string, number>()
  const troubles: ChannelTrouble[] = []
  for (const { facts } of await storage.listLeases()) {
    for (const name of facts?.leftAlone ?? []) counts.set(name, (counts.get(name) ?? 0) + 1)
    troubles.push(...(facts?.troubles ?? []))
  }
  return { leftAlone: counts, troubles }
}

/** Those of the configuration in its order, then the others by name. */
export function toChannelViews(facts: ChannelFacts): readonly PlainChannelView[] {
  const { loads, outcomes, paused } = facts
  const configured = facts.configured.map(({ name }) => name)
  const seen = [...paused, ...loads, ...outcomes].map(({ channel }) => channel)
  const others = [...new Set(seen)].filter((name) => !configured.includes(name))
  return [...configured, ...others.toSorted()].map((name) => toView(name, facts))
}

/** Whether it is paused, and what it has in flight over all nodes. */
export async function readStanding(
  storage: Pick<Storage, "countInFlight" | "listPausedChannels">,
  channel: string,
): Promise<ChannelStanding> {
  const [paused, loads] = await Promise.all([storage.listPausedChannels(), storage.countInFlight()])
  return toStanding(channel, { paused, loads })
}

function toView(channel: string, facts: ChannelFacts): PlainChannelView {
  const plan = facts.configured.find(({ name }) => name === channel)
  return {
    ...toStanding(channel, facts),
    ...toConfigured(plan),
    limits: plan?.limits ?? null,
    leftOut: toLeftOut(plan),
    leftAloneBy: facts.leftAlone.get(channel) ?? 0,
    troubles: toTroubles(channel, facts.troubles),
  }
}

/** Words about a request differ from process to process: a reason counts once, and a host. */
function toTroubles(name: string, reported: readonly ChannelTrouble[]): readonly ChannelTrouble[] {
  const kinds = new Map<string, ChannelTrouble>()
  const own = reported.filter(({ channel }) => channel === name)
  for (const trouble of own.toSorted((a, b) => a.since - b.since)) {
    const { reason, words } = trouble
    const kind = reason === HOST_REFUSED ? `${reason} ${words}` : reason
    if (!kinds.has(kind)) kinds.set(kind, trouble)
  }
  return [...kinds.values()]
}

function toStanding(
  channel: string,
  { loads, paused }: Pick<ChannelFacts, "loads" | "paused">,
): ChannelStanding {
  const { pausedAt = 0 } = paused.find((each) => each.channel === channel) ?? {}
  const { tasks: inFlight = 0 } = loads.find((each) => each.channel === channel) ?? {}
  return { channel, state: toState(pausedAt, inFlight), pausedAt, inFlight }
}

function toState(pausedAt: number, inFlight: number): ChannelStanding["state"] {
  if (pausedAt === 0) return "open"
  return inFlight > 0 ? "draining" : "paused"
}

function toConfigured(
  plan: ConfiguredChannel | undefined,
): Pick<PlainChannelView, "type" | "tier" | "weight" | "models" | "upstreams"> {
  if (plan === undefined) return { type: null, tier: null, weight: null, models: null }
  const { models, tier, type, upstreams = {}, weight } = plan
  return { type, tier, weight, models, upstreams }
}

function toLeftOut(plan: ConfiguredChannel | undefined): string | null {
  if (plan === undefined) return "it is not in the configuration"
  return plan.faults.length === 0 ? null : plan.faults.join("; ")
}
