/** Appends that a killed process and its judge both can make: one touches every table. */
import type { IdempotencyUse } from "@safelight/core"
import {
  advanceSample,
  dispatchSample,
  submitSample,
  succeedSample,
  type SampleAppend,
} from "@safelight/testkit"

/** Bounds that nothing of this reaches: they only have totals kept. */
export const CRASH_ACCOUNT = {
  id: "account",
  now: 500,
  settings: { budgetMicros: Number.MAX_SAFE_INTEGER, unfinishedTasks: 1_000_000 },
} as const

/** The key that task `index` is admitted with. */
export function toCrashUse(index: number): IdempotencyUse {
  return { key: `key-${index}`, fingerprint: "ab".repeat(32), usedAt: index }
}

/** Two appends to task `index`: claimed on admission, then succeeded with three artifacts. */
export function toCrashSample(index: number): readonly [SampleAppend, SampleAppend] {
  const id = `task-${index}`
  const input = { task: id, name: "request", salt: "5a", body: "x".repeat(300) }
  const submitted = submitSample({
    id,
    inputs: [input],
    queue: { kind: "enqueue", dueAt: 1_000, endBy: 9_000, lease: "killed", startTag: null },
  })
  const succeeded = advanceSample(submitted.head, [dispatchSample(), succeedSample(3)], {
    inputs: [{ ...input, name: "provider:1" }],
    queue: { kind: "finish", retainAt: 1_000 },
  })
  return [submitted, succeeded]
}
