/** The channels as `channels list` shows them: as JSON, and as a table. */
import { HOST_REFUSED, toHostLine, toUnixSeconds, type ChannelTrouble } from "@safelight/core"
import type { ChannelDay } from "@safelight/operator"
import { formatSeconds, formatUnits } from "../text/amount.ts"
import { formatCount } from "../text/count.ts"
import { formatOneLine } from "../text/one-line.ts"
import { formatTable } from "../text/table.ts"

export interface ChannelRecord {
  readonly channel: string
  /** Null, like the next members, if it is not in the configuration. */
  readonly type: string | null
  readonly tier: number | null
  readonly weight: number | null
  readonly models: readonly string[] | null
  /** Of those that the operator maps to a model of the provider's, that one's id. */
  readonly upstreams: Readonly<Record<string, string>>
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

export function toChannelRecord(day: ChannelDay): ChannelRecord {
  const { channel, lastDay, models, state, tier, type, upstreams = {}, weight } = day
  return {
    channel,
    type,
    tier,
    weight,
    models,
    upstreams,
    state,
    paused_at: toUnixSeconds(day.pausedAt),
    left_out: day.leftOut,
    in_flight: day.inFlight,
    left_alone_by: day.leftAloneBy,
    troubles: day.troubles.map(toTroubleRecord),
    last_day: {
      succeeded: lastDay.succeeded,
      failed: lastDay.failed,
      charge_micros: lastDay.chargeMicros,
      cost_told_micros: lastDay.toldMicros,
      cost_computed_micros: lastDay.computedMicros,
      cost_unknown: lastDay.unknown,
      mean_ms: lastDay.meanMs,
      longest_ms: lastDay.longestMs,
    },
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

/** A lower bound if some cost is unknown. */
function formatSpend(lastDay: ChannelRecord["last_day"]): string {
  const spent = formatUnits(lastDay.cost_told_micros + lastDay.cost_computed_micros)
  return lastDay.cost_unknown > 0 ? `${spent} + ${lastDay.cost_unknown} unknown` : spent
}

function formatTimes({ longest_ms, mean_ms, succeeded }: ChannelRecord["last_day"]): string {
  return succeeded === 0 ? "-" : `${formatSeconds(mean_ms)}, at most ${formatSeconds(longest_ms)}`
}

/** In words for people. */
function formatStanding({
  left_alone_by,
  left_out,
  state,
}: Omit<ChannelRecord, "last_day">): string {
  const processes = formatCount(left_alone_by, "process", "processes")
  return [
    state,
    ...(left_alone_by > 0 ? [`left alone by ${processes} after failures`] : []),
    ...(left_out === null ? [] : [`left out: ${left_out}`]),
  ].join(", ")
}

/** The table, and below it a line for each trouble. */
export function formatChannels(records: readonly ChannelRecord[]): string {
  const lines = records.flatMap(({ channel, troubles }) =>
    troubles.map((trouble) => formatOneLine(`${channel}: ${formatTrouble(trouble)}`)),
  )
  const table = formatChannelsTable(records)
  return lines.length === 0 ? table : `${table}\n${lines.join("\n")}\n`
}

function formatTrouble({ add, reason, words }: ChannelRecord["troubles"][number]): string {
  if (add !== null) return `its outputs lie at ${words}, which it may not ask: add ${add} to it`
  const what = reason === "provider_out_of_money" ? "its account has no money" : "it is turned away"
  return words === "" ? `${what} (${reason})` : `${what} (${reason}): ${words}`
}

function toModelWord(id: string, upstreams: Readonly<Record<string, string>>): string {
  const own = Object.hasOwn(upstreams, id) ? upstreams[id] : undefined
  return own === undefined ? id : `${id}=${own}`
}

function formatChannelsTable(records: readonly ChannelRecord[]): string {
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
    formatStanding(record),
    String(record.in_flight),
    String(lastDay.succeeded),
    String(lastDay.failed),
    formatUnits(lastDay.charge_micros),
    formatSpend(lastDay),
    formatTimes(lastDay),
    (record.models ?? ["-"]).map((id) => toModelWord(id, record.upstreams)).join(" "),
  ])
  return formatTable([head, ...rows], { numeric: [2, 3, 5, 6, 7, 8, 9] })
}
