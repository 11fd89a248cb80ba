/** Where SQL's snake_case meets what core says of the queue. */
import type { ClaimBeats, QueueMeasure, QueuePeek } from "@safelight/core"
import type { ClaimsTable } from "./database.ts"

export function fromClaimRecord({ claim, beats }: ClaimsTable): ClaimBeats {
  return { claim, beats }
}

export interface QueuePeekRecord {
  readonly due_at: number | null
  readonly turn: number | null
  readonly claimable: number
}

export const EMPTY_QUEUE: QueuePeek = { dueAt: null, turn: null, claimable: 0 }

/** Of the models and kinds together no more than `most` are counted. */
export function fromQueuePeekRecord(record: QueuePeekRecord, most: number): QueuePeek {
  const { claimable, due_at, turn } = record
  return { dueAt: due_at, turn, claimable: Math.min(claimable, most) }
}

/** How far starts have come. */
export interface StartedTurnRecord {
  readonly turn: number | null
}

export interface QueueMeasureRecord {
  readonly model: string
  readonly waiting: number
  readonly claimed: number
  readonly oldest_at: number | null
}

export function fromQueueMeasureRecord(record: QueueMeasureRecord): QueueMeasure {
  return {
    model: record.model,
    waiting: record.waiting,
    claimed: record.claimed,
    oldestAt: record.oldest_at,
  }
}
