/**
 * The channels as `channels list` shows them: what the configuration says of each, and what the database
 * does, which also knows channels that are no longer configured.
 */
import { toUnixSeconds, type Outcomes, type PausedChannel, type ChannelLoad } from "@safelight/core"
import { toUnits } from "../amount.ts"
import { toTable } from "../table.ts"
import type { ChannelPlan } from "./plan-channels.ts"

export interface ChannelRecord {
  readonly channel: string
  /** Null, like what follows, where it is not in the configuration. */
  readonly type: string | null
  readonly tier: number | null
  readonly weight: number | null
  readonly models: readonly string[] | null
  /** `draining`: paused, with tasks in flight. */
  readonly state: "open" | "paused" | "draining"
  /** Unix seconds; 0 where it is open. */
  readonly paused_at: number
  /** Why this configuration does not serve it; null where it does. */
  readonly left_out: string | null
  readonly in_flight: number
  /** Of tasks that were submitted in the last day and are finished. */
  readonly last_day: {
    readonly succeeded: number
    readonly failed: number
    readonly charge_micros: number
    /** False: there were more tasks, and only the newest were looked at. */
    readonly is_whole: boolean
  }
}

export interface ChannelFacts {
  readonly plans: readonly ChannelPlan[]
  readonly paused: readonly PausedChannel[]
  readonly loads: readonly ChannelLoad[]
  readonly outcomes: Outcomes
}

/** Those of the configuration in its order, then the others by name. */
export function toChannelRecords(facts: ChannelFacts): readonly ChannelRecord[] {
  const { loads, outcomes, paused, plans } = facts
  const configured = plans.map(({ name }) => name)
  const seen = [...paused, ...loads, ...outcomes.channels].map(({ channel }) => channel)
  const others = [...new Set(seen)].filter((name) => !configured.includes(name))
  return [...configured, ...others.toSorted()].map((name) => toRecord(name, facts))
}

function toRecord(name: string, facts: ChannelFacts): ChannelRecord {
  const plan = facts.plans.find((each) => each.name === name)
  const { pausedAt = 0 } = findOf(name, facts.paused) ?? {}
  const { tasks: inFlight = 0 } = findOf(name, facts.loads) ?? {}
  return {
    channel: name,
    ...toConfigured(plan),
    state: toState(pausedAt, inFlight),
    paused_at: toUnixSeconds(pausedAt),
    left_out: toLeftOut(plan),
    in_flight: inFlight,
    last_day: toLastDay(name, facts.outcomes),
  }
}

function findOf<Fact extends { readonly channel: string }>(
  name: string,
  list: readonly Fact[],
): Fact | undefined {
  return list.find(({ channel }) => channel === name)
}

function toConfigured(
  plan: ChannelPlan | undefined,
): Pick<ChannelRecord, "type" | "tier" | "weight" | "models"> {
  if (plan === undefined) return { type: null, tier: null, weight: null, models: null }
  const { models, tier, type, weight } = plan
  return { type, tier, weight, models }
}

function toLastDay(name: string, { channels, isWhole }: Outcomes): ChannelRecord["last_day"] {
  const { chargeMicros = 0, failed = 0, succeeded = 0 } = findOf(name, channels) ?? {}
  return { succeeded, failed, charge_micros: chargeMicros, is_whole: isWhole }
}

function toState(pausedAt: number, inFlight: number): ChannelRecord["state"] {
  if (pausedAt === 0) return "open"
  return inFlight > 0 ? "draining" : "paused"
}

function toLeftOut(plan: ChannelPlan | undefined): string | null {
  if (plan === undefined) return "it is not in the configuration"
  return plan.faults.length === 0 ? null : plan.faults.join("; ")
}

export function toChannelsTable(records: readonly ChannelRecord[]): string {
  const head = [
    "CHANNEL",
    "TYPE",
    "TIER",
    "WEIGHT",
    "STATE",
    "IN FLIGHT",
    "SUCCEEDED",
    "FAILED",
    "CHARGED",
    "MODELS",
  ]
  const rows = records.map(({ last_day: lastDay, ...record }) => [
    record.channel,
    record.type ?? "-",
    String(record.tier ?? "-"),
    String(record.weight ?? "-"),
    record.left_out === null ? record.state : `${record.state}, left out: ${record.left_out}`,
    String(record.in_flight),
    String(lastDay.succeeded),
    String(lastDay.failed),
    toUnits(lastDay.charge_micros),
    (record.models ?? ["-"]).join(" "),
  ])
  return toTable([head, ...rows], { numeric: [2, 3, 5, 6, 7, 8] })
}
