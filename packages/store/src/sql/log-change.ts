/** A change of the log: an append of what happened, or an admission, which may be refused. */
import assert from "node:assert/strict"
import type { Admission, Append, IdempotencyUse } from "@safelight/core"

export interface LogChange {
  readonly append: Append
  /** Whether it is an admission: its key and its account's limits decide. */
  readonly isAsked: boolean
  readonly use: IdempotencyUse | undefined
}

/** `conflict`: another event is the newest. */
export type LogOutcome = Admission | { readonly kind: "conflict" }

/** Resolves once the change is durable, or refused; an append that is stored already counts as admitted. */
export type WriteLog = (change: LogChange) => Promise<LogOutcome>

export const ADMITTED: LogOutcome = { kind: "admitted" }
export const CONFLICT: LogOutcome = { kind: "conflict" }

/** The size of an append's texts: characters for bytes. */
export function measureAppend({ events, changes, inputs = [] }: Append): number {
  let size = changes.task.snapshot.length
  for (const { data, sealed } of events) size += data.length + (sealed?.length ?? 0)
  for (const { body } of inputs) size += body.length
  return size
}

/** The event whose hash shows whether an append is stored: hashes are chained, so the newest stands for all. */
export function toNewestEvent({ events }: Append): Append["events"][number] {
  const newest = events.at(-1)
  assert.ok(newest)
  return newest
}
