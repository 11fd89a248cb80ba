/** Channels in the storage in memory: pauses, and sums over tasks. */
import type { ChannelOutcomes, ChannelStorage, OutcomeRow, Task } from "@safelight/core"
import { compareIds } from "./compare-ids.ts"

export interface MemoryChannelParts {
  readonly listUnfinished: () => readonly Task[]
  readonly listOutcomes: () => readonly OutcomeRow[]
}

export function createMemoryChannels(parts: MemoryChannelParts): ChannelStorage {
  const paused = new Map<string, number>()
  return {
    async listPausedChannels() {
      return [...paused]
        .map(([channel, pausedAt]) => ({ channel, pausedAt }))
        .toSorted((a, b) => compareIds(a.channel, b.channel))
    },
    async pauseChannel({ channel, pausedAt }) {
      if (!paused.has(channel)) paused.set(channel, pausedAt)
    },
    async resumeChannel(channel) {
      paused.delete(channel)
    },
    async countInFlight() {
      const inFlight = parts.listUnfinished().filter(({ state }) => state !== "queued")
      return groupByChannel(inFlight).map(([channel, tasks]) => ({ channel, tasks: tasks.length }))
    },
    async sumOutcomes({ from, to }) {
      const ended = parts.listOutcomes().filter(({ at }) => at >= from && at < to)
      const groups = Map.groupBy(ended, ({ channel, model }) => JSON.stringify([channel, model]))
      return [...groups.values()]
        .map(toSum)
        .toSorted((a, b) => compareIds(a.channel, b.channel) || compareIds(a.model, b.model))
    },
  }
}

const total = (some: readonly number[]): number => some.reduce((sum, each) => sum + each, 0)

function toSum(rows: readonly OutcomeRow[]): ChannelOutcomes {
  const { channel = "", model = "" } = rows[0] ?? {}
  const costs = (source: OutcomeRow["costSource"]): readonly number[] =>
    rows.filter(({ costSource }) => costSource === source).map(({ costMicros }) => costMicros)
  const elapsed = rows
    .filter(({ outcome }) => outcome === "succeeded")
    .map(({ at, dispatchedAt }) => at - dispatchedAt)
  return {
    channel,
    model,
    succeeded: elapsed.length,
    failed: rows.filter(({ outcome }) => outcome === "failed").length,
    chargeMicros: total(rows.map(({ chargeMicros }) => chargeMicros)),
    toldMicros: total(costs("told")),
    computedMicros: total(costs("computed")),
    unknown: costs("unknown").length,
    succeededMs: total(elapsed),
    longestMs: Math.max(0, ...elapsed),
  }
}

function groupByChannel(tasks: readonly Task[]): [string, Task[]][] {
  const asked = tasks.filter(({ dispatch }) => dispatch !== null)
  return [...Map.groupBy(asked, ({ dispatch }) => dispatch?.channel ?? "")].toSorted(([a], [b]) =>
    compareIds(a, b),
  )
}
