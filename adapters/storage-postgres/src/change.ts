/**
 * A change that waits to be committed: an append, or an admission with what it is judged by. An
 * append that contradicts itself is our mistake, and an assertion says so before it is sent.
 */
import assert from "node:assert/strict"
import type { Admission, Append, IdempotencyUse } from "@safelight/core"

export type Outcome = Admission | { readonly kind: "conflict" }

export interface Change {
  readonly append: Append
  /** Whether its account's bounds are asked. */
  readonly isJudged: boolean
  readonly use: IdempotencyUse | undefined
  /** What it adds to a batch, near enough. */
  readonly bytes: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: Error) => void
}

export const ADMITTED: Outcome = { kind: "admitted" }
export const CONFLICT: Outcome = { kind: "conflict" }

export function assertConsistent(append: Append): void {
  const { task, expectedVersion, events, changes, inputs = [] } = append
  assert.ok(events.length > 0, "an append has an event")
  for (const [index, event] of events.entries()) {
    assert.equal(event.task, task, "every event is of the appended task")
    assert.equal(event.version, expectedVersion + index + 1, "versions have no gap")
  }
  assert.equal(changes.task.id, task, "the row is the appended task's")
  assert.equal(changes.task.version, expectedVersion + events.length, "the row is at the newest")
  assert.ok(
    changes.artifacts.every((artifact) => artifact.task === task) &&
      inputs.every((input) => input.task === task) &&
      (changes.charge?.task ?? task) === task,
    "artifacts, inputs and charge are the appended task's",
  )
}

/** The size of an append's texts: characters for bytes. */
export function measureAppend({ events, changes, inputs = [] }: Append): number {
  let size = changes.task.snapshot.length
  for (const { data } of events) size += data.length
  for (const { body } of inputs) size += body.length
  return size
}

/** The hash that tells whether an append is stored: hashes are chained, the newest speaks for all. */
export function toNewestEvent({ events }: Append): Append["events"][number] {
  const newest = events.at(-1)
  assert.ok(newest)
  return newest
}
