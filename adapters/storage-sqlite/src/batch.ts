/** The bounds of a batch, and what becomes of its changes once the writing thread answered. */
import type { Failure } from "./failure.ts"
import { toSafelightError } from "./storage-error.ts"
import type { ChangeOutcome } from "@safelight/store"
import type { EncodedChange, WriterAnswer } from "./protocol.ts"

export interface PendingChange {
  readonly change: EncodedChange
  readonly resolve: (outcome: ChangeOutcome) => void
  readonly reject: (error: Error) => void
}

export interface BatchBounds {
  readonly maxBatchBytes: number
  readonly maxBatchChanges: number
}

/** Fewer changes than this share one sync: dividing them would double it for nothing. */
const SMALLEST_CROWD = 16

/**
 * How many of `count` waiting changes go into the next batch, with room for `lanes` batches: a
 * crowd is divided, so that one part is prepared while another is committed, and not in lockstep.
 */
export function toShare(count: number, lanes: number): number {
  return count < SMALLEST_CROWD ? count : Math.ceil(count / lanes)
}

/** Takes up to `limit` changes off the front of `waiting`, at least one. */
export function takeBatch(
  waiting: PendingChange[],
  limit: number,
  bounds: BatchBounds,
): PendingChange[] {
  const { maxBatchBytes } = bounds
  const maxBatchChanges = Math.min(limit, bounds.maxBatchChanges)
  let count = 0
  let size = 0
  for (const { change } of waiting) {
    size += measure(change)
    if (count > 0 && (count >= maxBatchChanges || size > maxBatchBytes)) break
    count += 1
  }
  return waiting.splice(0, count)
}

export function settleBatch(
  batch: readonly PendingChange[],
  { failure, isUndone, outcomes }: WriterAnswer,
): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const outcome = outcomes[index]
    if (failure !== null) reject(toSafelightError(failure, { isUndone }))
    else if (outcome === undefined) reject(new RangeError("the writing thread forgot a change"))
    else if (isFailure(outcome)) reject(toSafelightError(outcome, { isUndone: true }))
    else resolve(outcome)
  }
}

/** The size of a change's texts, near enough: characters for bytes. */
function measure(change: EncodedChange): number {
  let size = 0
  for (const value of change) if (typeof value === "string") size += value.length
  return size
}

function isFailure(outcome: ChangeOutcome | Failure): outcome is Failure {
  return typeof outcome === "object" && "resultCode" in outcome
}
