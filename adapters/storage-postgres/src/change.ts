/**
 * A change that waits to be committed: an append, or an admission with what it is judged by.
 */
import assert from "node:assert/strict"
import type { Admission, Append, IdempotencyUse } from "@safelight/core"
import type { PendingChange } from "@safelight/store"

export type Outcome = Admission | { readonly kind: "conflict" }

export interface Change extends PendingChange {
  readonly append: Append
  readonly use: IdempotencyUse | undefined
  /** When it was handed in, on the monotonic clock. */
  readonly arrivedAt: number
  readonly resolve: (outcome: Outcome) => void
}

export const ADMITTED: Outcome = { kind: "admitted" }
export const CONFLICT: Outcome = { kind: "conflict" }

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
