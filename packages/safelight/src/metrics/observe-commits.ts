/**
 * Metrics of group commits: how many changes were committed together, and how long the commit took. Many changes
 * in a commit mean load, long commits a slow disk.
 */
import { Histogram, type Registry } from "prom-client"
import { CALL_BUCKETS } from "./latency-buckets.ts"

export interface CommitBatch {
  readonly changes: number
  readonly durationMs: number
  /** Absent if it did not fail. */
  readonly isFailed?: boolean
}

export type OnCommit = (batch: CommitBatch) => void

/** Up to the most changes of one commit. */
const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]

export function createCommitMeter(registry: Registry): OnCommit {
  const sizes = new Histogram({
    name: "safelight_commit_changes",
    help: "Changes that were committed together.",
    labelNames: ["outcome"],
    buckets: SIZE_BUCKETS,
    registers: [registry],
  })
  const durations = new Histogram({
    name: "safelight_commit_duration_seconds",
    help: "How long commits took.",
    labelNames: ["outcome"],
    buckets: CALL_BUCKETS,
    registers: [registry],
  })
  return ({ changes, durationMs, isFailed }) => {
    const labels = { outcome: isFailed === true ? "failed" : "committed" }
    sizes.observe(labels, changes)
    durations.observe(labels, durationMs / 1_000)
  }
}
