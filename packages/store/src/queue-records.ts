/** Where SQL's snake_case meets what core says of the queue. */
import type { ClaimBeats, QueueMeasure } from "@safelight/core"
import type { ClaimsTable } from "./database.ts"

export function fromClaimRecord({ claim, beats }: ClaimsTable): ClaimBeats {
  return { claim, beats }
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
