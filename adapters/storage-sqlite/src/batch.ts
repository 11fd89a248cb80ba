/** The bounds of a batch, and what becomes of its changes once the writing thread answered. */
import type { Failure } from "./failure.ts"
import { toSafelightError } from "./storage-error.ts"
import type { ChangeOutcome, EncodedChange, WriterAnswer } from "./protocol.ts"

export interface PendingChange {
  readonly change: EncodedChange
  readonly resolve: (outcome: ChangeOutcome) => void
  readonly reject: (error: Error) => void
}

export interface BatchBounds {
  readonly maxBatchBytes: number
  readonly maxBatchChanges: number
}

/** Takes changes off the front of `waiting`, at least one. */
export function takeBatch(waiting: PendingChange[], bounds: BatchBounds): PendingChange[] {
  const { maxBatchBytes, maxBatchChanges } = bounds
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
  { failure, outcomes }: WriterAnswer,
): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const outcome = outcomes[index] ?? failure
    if (outcome === null) reject(new RangeError("the writing thread forgot a change"))
    else if (isFailure(outcome)) reject(toSafelightError(outcome))
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
