/** Figures for operators, in the storage in memory: everything is counted at each call. */
import type {
  ChannelHour,
  InsightStorage,
  OutcomeGroup,
  OutcomeGroupsRequest,
  OutcomeRow,
  OutcomesRequest,
  OutcomeSums,
} from "@safelight/core"
import { compareIds } from "./compare-ids.ts"
import type { Place } from "./memory-queue.ts"

export interface MemoryInsightParts {
  readonly listPlaces: () => readonly Place[]
  readonly listOutcomes: () => readonly OutcomeRow[]
  readonly findAccount: (task: string) => string
}

const HOUR_MS = 3_600_000

export function createMemoryInsight(
  parts: MemoryInsightParts,
): Omit<InsightStorage, "listAllTasks"> {
  const within = ({ from, to }: OutcomesRequest): readonly OutcomeRow[] =>
    parts.listOutcomes().filter(({ at }) => at >= from && at < to)
  return {
    async groupOutcomes(request) {
      const { account, limit } = request
      const rows = within(request).filter(
        ({ task }) => account === undefined || parts.findAccount(task) === account,
      )
      const groups = Map.groupBy(rows, (row) => toName(row, request, parts))
      const sums = [...groups].map(([name, of]) => ({ name, ...toSums(of) }))
      return sums.toSorted((a, b) => compareGroups(a, b, request)).slice(0, limit)
    },
    async listChannelHours(period) {
      const groups = Map.groupBy(within(period), ({ at, channel }) =>
        JSON.stringify([channel, Math.floor(at / HOUR_MS)]),
      )
      return [...groups.values()]
        .map(toHour)
        .toSorted((a, b) => compareIds(a.channel, b.channel) || a.hourAt - b.hourAt)
    },
    sumHours: async () => 0,
    forgetSums: async () => undefined,
    async measureBacklog({ accounts: limit }) {
      const places = parts.listPlaces()
      const free = places.filter(({ lease }) => lease === null)
      const newTasks = free.filter(({ startTag }) => startTag !== null).length
      const accounts = [...Map.groupBy(free, ({ account }) => account)]
        .map(([account, of]) => ({ account, tasks: of.length }))
        .toSorted((a, b) => b.tasks - a.tasks || compareIds(a.account, b.account))
      return {
        newTasks,
        dueTasks: free.length - newTasks,
        heldTasks: places.length - free.length,
        oldestAt: free.length === 0 ? null : Math.min(...free.map(({ dueAt }) => dueAt)),
        accounts: accounts.slice(0, limit),
      }
    },
    countHeld: async () => countLeases(parts.listPlaces()),
    describeDatabase: async () => ({ kind: "memory", version: "1", schema: 1 }),
  }
}

function countLeases(places: readonly Place[]): ReadonlyMap<string, number> {
  const held = places.flatMap(({ lease }) => lease ?? [])
  return new Map([...Map.groupBy(held, (lease) => lease)].map(([name, of]) => [name, of.length]))
}

function toName(
  { at, channel, model, task }: OutcomeRow,
  { by }: OutcomeGroupsRequest,
  { findAccount }: MemoryInsightParts,
): string {
  switch (by) {
    case "day":
      return new Date(at).toISOString().slice(0, 10)
    case "model":
      return model
    case "channel":
      return channel
    case "account":
      return findAccount(task)
  }
}

function compareGroups(a: OutcomeGroup, b: OutcomeGroup, { by }: OutcomeGroupsRequest): number {
  const byCharge = by === "day" ? 0 : b.chargeMicros - a.chargeMicros
  return byCharge || compareIds(a.name, b.name)
}

function toHour(rows: readonly OutcomeRow[]): ChannelHour {
  const { at = 0, channel = "" } = rows[0] ?? {}
  const elapsed = rows
    .filter(({ outcome }) => outcome === "succeeded")
    .map((row) => row.at - row.dispatchedAt)
    .toSorted((a, b) => a - b)
  const hourAt = Math.floor(at / HOUR_MS) * HOUR_MS
  const p50Ms = elapsed[Math.ceil(elapsed.length * 0.5) - 1] ?? null
  const p95Ms = elapsed[Math.ceil((elapsed.length * 95) / 100) - 1] ?? null
  return { channel, hourAt, ...toSums(rows), p50Ms, p95Ms }
}

function toSums(rows: readonly OutcomeRow[]): OutcomeSums {
  const count = (outcome: OutcomeRow["outcome"]): number =>
    rows.filter((row) => row.outcome === outcome).length
  const costs = (source: OutcomeRow["costSource"]): readonly number[] =>
    rows.filter(({ costSource }) => costSource === source).map(({ costMicros }) => costMicros)
  return {
    succeeded: count("succeeded"),
    failed: count("failed"),
    deferred: count("deferred"),
    chargeMicros: total(rows.map(({ chargeMicros }) => chargeMicros)),
    toldMicros: total(costs("told")),
    computedMicros: total(costs("computed")),
    unknown: costs("unknown").length,
  }
}

function total(some: readonly number[]): number {
  return some.reduce((sum, each) => sum + each, 0)
}
