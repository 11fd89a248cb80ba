/**
 * The changes that wait for a lane, in the order in which they came. Where changes have keys, one whose
 * key has a change under way is passed over until that is settled.
 */
import type { AnyPending } from "./attempt.ts"

/** What waits to be committed together with others. */
export type PendingChange = Pick<AnyPending, "bytes" | "isAsked" | "reject">

export interface WaitingChanges<Change> {
  readonly count: () => number
  /** Whether so many wait that changes which may be refused are. */
  readonly isFull: () => boolean
  readonly add: (change: Change) => void
  /** A batch of up to `limit` changes, their keys under way from now on. */
  readonly take: (limit: number) => readonly Change[]
  /** Takes those of which `isOver` holds. */
  readonly takeWhere: (isOver: (change: Change) => boolean) => readonly Change[]
  /** Takes one that still waits; false: it is under way, or settled. */
  readonly remove: (change: Change) => boolean
  /** The batch is settled. */
  readonly settle: (batch: readonly Change[]) => void
}

/** These limits of a batch keep the wait of its first change short. */
const MAX_BATCH_CHANGES = 500
const MAX_BATCH_BYTES = 1_048_576
/** The most that waits to be committed; past either, changes that may be refused are. */
const MAX_WAITING_CHANGES = 20_000
const MAX_WAITING_BYTES = 256 * 1_048_576

export function createWaitingChanges<Change extends PendingChange>(
  toKey: ((change: Change) => string) | undefined,
): WaitingChanges<Change> {
  let waiting: Change[] = []
  const underWay = new Set<string>()
  let waitingBytes = 0

  /** Puts a change into the batch unless its key has one under way. */
  function begin(change: Change): boolean {
    if (toKey === undefined) return true
    const key = toKey(change)
    if (underWay.has(key)) return false
    underWay.add(key)
    return true
  }

  return {
    count: () => waiting.length,
    isFull: () => waiting.length >= MAX_WAITING_CHANGES || waitingBytes >= MAX_WAITING_BYTES,
    add(change) {
      waiting.push(change)
      waitingBytes += change.bytes
    },
    take(limit) {
      const batch = takeBatch(waiting, begin, limit)
      for (const { bytes } of batch) waitingBytes -= bytes
      return batch
    },
    takeWhere(isOver) {
      const taken = waiting.filter(isOver)
      if (taken.length === 0) return taken
      waiting = waiting.filter((change) => !taken.includes(change))
      for (const { bytes } of taken) waitingBytes -= bytes
      return taken
    },
    remove(change) {
      const position = waiting.indexOf(change)
      if (position < 0) return false
      waiting.splice(position, 1)
      waitingBytes -= change.bytes
      return true
    },
    settle(batch) {
      if (toKey !== undefined) for (const change of batch) underWay.delete(toKey(change))
    },
  }
}

/** Takes up to `limit` changes off the front, at least one, passing over those that can't `begin`. */
function takeBatch<Change extends PendingChange>(
  waiting: Change[],
  begin: (change: Change) => boolean,
  limit: number,
): Change[] {
  const batch: Change[] = []
  const passed: Change[] = []
  const most = Math.min(limit, MAX_BATCH_CHANGES)
  let bytes = 0
  for (const change of waiting) {
    const isFull = batch.length >= most || bytes + change.bytes > MAX_BATCH_BYTES
    if (batch.length > 0 && isFull) break
    if (begin(change)) {
      bytes += change.bytes
      batch.push(change)
    } else passed.push(change)
  }
  waiting.splice(0, batch.length + passed.length, ...passed)
  return batch
}
