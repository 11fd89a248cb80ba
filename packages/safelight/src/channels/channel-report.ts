/** The channels as `channels list` shows them: as JSON, and as a table. */
import {
  HOST_REFUSED,
  toHostLine,
  toUnixSeconds,
  type ChannelOutcomes,
  type ChannelTrouble,
} from "@safelight/core"
import { toSeconds, toUnits } from "../amount.ts"
import { toOneLine } from "../failure-line.ts"
import { toTable } from "../table.ts"
import { toChannelViews, type ChannelFacts, type PlannedView } from "./channel-views.ts"

export interface ChannelRecord {
  readonly channel: string
  /** Null, like the next members, if it is not in the configuration. */
  readonly type: string | null
  readonly tier: number | null
  readonly weight: number | null
  readonly models: readonly string[] | null
  /** `draining`: paused, with tasks in flight. */
  readonly state: "open" | "paused" | "draining"
  /** Unix seconds; 0 if it is open. */
  readonly paused_at: number
  /** Why this configuration does not serve it; null if it does. */
  readonly left_out: string | null
  readonly in_flight: number
  /** How many processes have its breaker open, since it failed several times in a row. */
  readonly left_alone_by: number
  /** What its running processes need the operator for; `add` is a line for its configuration, or null. */
  readonly troubles: readonly {
    readonly reason: string
    readonly words: string
    readonly since: number
    readonly add: string | null
  }[]
  /** Of tasks that finished in the last day. */
  readonly last_day: {
    readonly succeeded: number
    readonly failed: number
    readonly charge_micros: number
    /** What they cost upstream, in US dollars: as reported by providers, and by unit prices. */
    readonly cost_told_micros: number
    readonly cost_computed_micros: number
    /** Attempts whose cost is unknown. */
    readonly cost_unknown: number
    /** From the request to the end, of those that succeeded; 0 if none did. */
    readonly mean_ms: number
    readonly longest_ms: number
  }
}

/** In the order of `toChannelViews`. */
export function toChannelRecords(
  facts: ChannelFacts & { readonly outcomes: readonly ChannelOutcomes[] },
): readonly ChannelRecord[] {
  return toChannelViews(facts).map((view) => toRecord(view, facts.outcomes))
}

function toRecord(view: PlannedView, outcomes: readonly ChannelOutcomes[]): ChannelRecord {
  const { channel, models, state, tier, type, weight } = view
  return {
    channel,
    type,
    tier,
    weight,
    models,
    state,
    paused_at: toUnixSeconds(view.pausedAt),
    left_out: view.leftOut,
    in_flight: view.inFlight,
    left_alone_by: view.leftAloneBy,
    troubles: view.troubles.map(toTroubleRecord),
    last_day: toLastDay(channel, outcomes),
  }
}

function toTroubleRecord({
  reason,
  since,
  words,
}: ChannelTrouble): ChannelRecord["troubles"][number] {
  const add = reason === HOST_REFUSED ? toHostLine(words) : null
  return { reason, words, since: toUnixSeconds(since), add }
}

function toLastDay(name: string, outcomes: readonly ChannelOutcomes[]): ChannelRecord["last_day"] {
  const own = outcomes.filter(({ channel }) => channel === name)
  const sum = (field: Exclude<keyof ChannelOutcomes, "channel" | "model">): number =>
    own.reduce((total, each) => total + each[field], 0)
  const succeeded = sum("succeeded")
  return {
    succeeded,
    failed: sum("failed"),
    charge_micros: sum("chargeMicros"),
    cost_told_micros: sum("toldMicros"),
    cost_computed_micros: sum("computedMicros"),
    cost_unknown: sum("unknown"),
    mean_ms: succeeded === 0 ? 0 : Math.round(sum("succeededMs") / succeeded),
    longest_ms: Math.max(0, ...own.map(({ longestMs }) => longestMs)),
  }
}

/** A lower bound if some cost is unknown. */
function toSpend(lastDay: ChannelRecord["last_day"]): string {
  const spent = toUnits(lastDay.cost_told_micros + lastDay.cost_computed_micros)
  return lastDay.cost_unknown > 0 ? `${spent} + ${lastDay.cost_unknown} unknown` : spent
}

function toTimes({ longest_ms, mean_ms, succeeded }: ChannelRecord["last_day"]): string {
  return succeeded === 0 ? "-" : `${toSeconds(mean_ms)}, at most ${toSeconds(longest_ms)}`
}

/** In words for people. */
function toStanding({ left_alone_by, left_out, state }: Omit<ChannelRecord, "last_day">): string {
  const processes = left_alone_by === 1 ? "1 process" : `${left_alone_by} processes`
  return [
    state,
    ...(left_alone_by > 0 ? [`left alone by ${processes} after failures`] : []),
    ...(left_out === null ? [] : [`left out: ${left_out}`]),
  ].join(", ")
}

/** The table, and below it a line for each trouble. */
export function toChannelsText(records: readonly ChannelRecord[]): string {
  const lines = records.flatMap(({ channel, troubles }) =>
    troubles.map((trouble) => toOneLine(`${channel}: ${toTroubleWords(trouble)}`)),
  )
  const table = toChannelsTable(records)
  return lines.length === 0 ? table : `${table}\n${lines.join("\n")}\n`
}

function toTroubleWords({ add, reason, words }: ChannelRecord["troubles"][number]): string {
  if (add !== null) return `its outputs lie at ${words}, which it may not ask: add ${add} to it`
  const what = reason === "provider_out_of_money" ? "its account has no money" : "it is turned away"
  return words === "" ? `${what} (${reason})` : `${what} (${reason}): ${words}`
}

function toChannelsTable(records: readonly ChannelRecord[]): string {
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
    "SPENT",
    "TOOK",
    "MODELS",
  ]
  const rows = records.map(({ last_day: lastDay, ...record }) => [
    record.channel,
    record.type ?? "-",
    String(record.tier ?? "-"),
    String(record.weight ?? "-"),
    toStanding(record),
    String(record.in_flight),
    String(lastDay.succeeded),
    String(lastDay.failed),
    toUnits(lastDay.charge_micros),
    toSpend(lastDay),
    toTimes(lastDay),
    (record.models ?? ["-"]).join(" "),
  ])
  return toTable([head, ...rows], { numeric: [2, 3, 5, 6, 7, 8, 9] })
}
