/**
 * The newest group commits of this process, for the page of the system. Counted in any case, without the metrics:
 * a few numbers a commit in arrays that never grow. Under heavy load they go back less far than the longest time.
 */
import type { CommitFacts } from "@safelight/core"
import type { OnCommit } from "../metrics/observe-commits.ts"

/** Enough for a percentile in a hundred. */
const MOST_COMMITS = 4_096
const LONGEST_MS = 300_000

export interface RecentCommits {
  readonly note: OnCommit
  readonly read: () => CommitFacts
}

interface Commit {
  readonly at: number
  readonly changes: number
  readonly durationMs: number
  readonly isFailed: boolean
}

export function createRecentCommits(clock: { readonly monotonicNow: () => number }): RecentCommits {
  const ring: Commit[] = []
  let noted = 0
  return {
    note({ changes, durationMs, isFailed = false }) {
      ring[noted % MOST_COMMITS] = { at: clock.monotonicNow(), changes, durationMs, isFailed }
      noted += 1
    },
    read() {
      const now = clock.monotonicNow()
      const recent = ring.filter(({ at }) => now - at <= LONGEST_MS)
      return toFacts(recent, now)
    },
  }
}

function toFacts(recent: readonly Commit[], now: number): CommitFacts {
  const made = recent.filter(({ isFailed }) => !isFailed)
  const times = made.map(({ durationMs }) => durationMs).toSorted((a, b) => a - b)
  const changes = made.reduce((sum, each) => sum + each.changes, 0)
  return {
    periodMs: recent.reduce((longest, { at }) => Math.max(longest, now - at), 0),
    batches: recent.length,
    failedBatches: recent.length - made.length,
    meanSize: made.length === 0 ? 0 : changes / made.length,
    p50Ms: times[Math.ceil(times.length * 0.5) - 1] ?? 0,
    p99Ms: times[Math.ceil(times.length * 0.99) - 1] ?? 0,
  }
}
