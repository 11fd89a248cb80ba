/** Where SQL's snake_case meets what core says of the queue. */
import type { LeaseFacts, QueueMeasure, QueuePeek, WorkerLease } from "@safelight/core"

export interface LeaseRecord {
  readonly lease: string
  readonly beats: number
  /** Null for a lease that is not registered. */
  readonly facts: string | null
}

export function fromLeaseRecord({ lease, beats, facts }: LeaseRecord): WorkerLease {
  return facts === null
    ? { lease, beats }
    : { lease, beats, facts: JSON.parse(facts) as LeaseFacts }
}

export interface RunningLimitRecord {
  readonly id: string
  readonly running_tasks: number | null
}

/** An account without a record has no limit. */
export function fromRunningLimitRecords(
  accounts: readonly string[],
  records: readonly RunningLimitRecord[],
): ReadonlyMap<string, number | null> {
  const limits = new Map(records.map(({ id, running_tasks }) => [id, running_tasks]))
  return new Map(accounts.map((account) => [account, limits.get(account) ?? null]))
}

export interface QueuePeekRecord {
  readonly due_at: number | null
  readonly start_tag: number | null
  readonly takeable: number
}

export const EMPTY_QUEUE: QueuePeek = { dueAt: null, startTag: null, takeable: 0 }

/** Of the models and kinds together no more than `most` are counted. */
export function fromQueuePeekRecord(record: QueuePeekRecord, most: number): QueuePeek {
  const { due_at, start_tag, takeable } = record
  return { dueAt: due_at, startTag: start_tag, takeable: Math.min(takeable, most) }
}

/** How far starts have come. */
export interface StartedTagRecord {
  readonly start_tag: number | null
}

export interface QueueMeasureRecord {
  readonly model: string
  readonly waiting: number
  readonly held: number
  readonly oldest_at: number | null
}

export function fromQueueMeasureRecord(record: QueueMeasureRecord): QueueMeasure {
  const { held, model, oldest_at: oldestAt, waiting } = record
  return { model, waiting, held, oldestAt }
}
