/**
 * Group commits as a storage tells of them: how many changes went together, and how long the commit
 * took. Many changes a commit mean load, long commits a slow disk.
 */
import type { Registry } from "prom-client"
import { CALL_BOUNDS } from "./latency-bounds.ts"
import { createHistogram } from "./tally.ts"

export interface CommitBatch {
  readonly changes: number
  readonly durationMs: number
  /** Absent: it did not fail. */
  readonly isFailed?: boolean
}

export type OnCommit = (batch: CommitBatch) => void

/** Up to the most that one commit takes (design §4). */
const SIZE_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512] as const

export function createCommitMeter(registry: Registry): OnCommit {
  const sizes = createHistogram(registry, {
    name: "safelight_commit_changes",
    help: "Changes that were committed together.",
    labels: ["outcome"],
    bounds: SIZE_BOUNDS,
  })
  const durations = createHistogram(registry, {
    name: "safelight_commit_duration_seconds",
    help: "How long commits took.",
    labels: ["outcome"],
    bounds: CALL_BOUNDS,
  })
  const toSeries = (outcome: string) => ({
    size: sizes.series({ outcome }),
    duration: durations.series({ outcome }),
  })
  const committed = toSeries("committed")
  const failed = toSeries("failed")
  return ({ changes, durationMs, isFailed }) => {
    const series = isFailed === true ? failed : committed
    series.size.observe(changes)
    series.duration.observe(durationMs / 1_000)
  }
}
