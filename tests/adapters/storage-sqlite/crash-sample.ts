/** Appends that a killed process and its judge both can make: one touches every table. */
import {
  advanceSample,
  dispatchSample,
  submitSample,
  succeedSample,
  type SampleAppend,
} from "@safelight/testkit"

/** Two appends to task `index`: claimed on submission, then succeeded with three artifacts. */
export function toCrashSample(index: number): readonly [SampleAppend, SampleAppend] {
  const id = `task-${index}`
  const input = { task: id, name: "request", salt: "5a", body: "x".repeat(300) }
  const claim = { claim: "killed", until: Number.MAX_SAFE_INTEGER }
  const submitted = submitSample({
    id,
    inputs: [input],
    queue: { kind: "enqueue", dueAt: 1_000, endBy: 9_000, claim },
  })
  const succeeded = advanceSample(submitted.head, [dispatchSample(), succeedSample(3)], {
    inputs: [{ ...input, name: "provider:1" }],
    queue: { kind: "finish", retainAt: 1_000 },
  })
  return [submitted, succeeded]
}
