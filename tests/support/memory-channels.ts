/** What the storage in memory knows of channels. */
import { toStatus, type ChannelStorage, type Task } from "@safelight/core"
import { compareIds } from "./compare-ids.ts"

export interface MemoryChannelParts {
  readonly listUnfinished: () => readonly Task[]
  /** Finished ones as well. */
  readonly listTasks: () => readonly Task[]
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
    async sumOutcomes({ createdSince, fromId, limit }) {
      const found = parts
        .listTasks()
        .filter(({ createdAt, id }) => createdAt >= createdSince && compareIds(id, fromId) >= 0)
        .toSorted((a, b) => compareIds(b.id, a.id))
        .slice(0, limit)
      const finished = found.filter(({ finishedAt }) => finishedAt > 0)
      const channels = groupByChannel(finished).map(([channel, tasks]) => {
        const succeeded = tasks.filter((task) => toStatus(task) === "succeeded").length
        const chargeMicros = tasks.reduce((sum, task) => sum + task.chargeMicros, 0)
        return { channel, succeeded, failed: tasks.length - succeeded, chargeMicros }
      })
      return { channels, isWhole: found.length < limit }
    },
  }
}

function groupByChannel(tasks: readonly Task[]): [string, Task[]][] {
  const asked = tasks.filter(({ dispatch }) => dispatch !== null)
  return [...Map.groupBy(asked, ({ dispatch }) => dispatch?.channel ?? "")].toSorted(([a], [b]) =>
    compareIds(a, b),
  )
}
