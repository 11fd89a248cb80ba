/**
 * The changes that wait for a lane, in the order in which they came. One whose task has a change under
 * way is passed over until that is settled.
 */
import type { Change } from "./change.ts"
import { DEFAULTS } from "./defaults.ts"
import { hasWaitedThrough } from "./outage.ts"

export interface WaitingChanges {
  readonly count: () => number
  /** Whether so much waits that nothing more should be asked for. */
  readonly isFull: () => boolean
  readonly add: (change: Change) => void
  /** A batch of up to `limit` changes, its tasks under way from now on. */
  readonly take: (limit: number) => readonly Change[]
  /** Takes what waited for all its patience in an outage that lasts `since` then. */
  readonly takeOverdue: (since: number) => readonly Change[]
  /** Takes one that still waits; false: it is under way, or settled. */
  readonly remove: (change: Change) => boolean
  /** The batch is settled. */
  readonly settle: (batch: readonly Change[]) => void
}

export function createWaitingChanges(): WaitingChanges {
  let waiting: Change[] = []
  const underWay = new Set<string>()
  let waitingBytes = 0
  return {
    count: () => waiting.length,
    isFull: () =>
      waiting.length >= DEFAULTS.maxWaitingChanges || waitingBytes >= DEFAULTS.maxWaitingBytes,
    add(change) {
      waiting.push(change)
      waitingBytes += change.bytes
    },
    take(limit) {
      const batch = takeBatch(waiting, underWay, limit)
      for (const { bytes } of batch) waitingBytes -= bytes
      return batch
    },
    takeOverdue(since) {
      const overdue: Change[] = []
      const rest: Change[] = []
      for (const change of waiting) (hasWaitedThrough(change, since) ? overdue : rest).push(change)
      waiting = rest
      for (const { bytes } of overdue) waitingBytes -= bytes
      return overdue
    },
    remove(change) {
      const position = waiting.indexOf(change)
      if (position < 0) return false
      waiting.splice(position, 1)
      waitingBytes -= change.bytes
      return true
    },
    settle(batch) {
      for (const { append } of batch) underWay.delete(append.task)
    },
  }
}

/** Takes up to `limit` changes off the front, passing over those whose task is `underWay`. */
function takeBatch(waiting: Change[], underWay: Set<string>, limit: number): Change[] {
  const batch: Change[] = []
  const passed: Change[] = []
  const most = Math.min(limit, DEFAULTS.maxBatchChanges)
  let bytes = 0
  for (const change of waiting) {
    const { task } = change.append
    const isFull = batch.length >= most || bytes + change.bytes > DEFAULTS.maxBatchBytes
    if (batch.length > 0 && isFull) break
    if (underWay.has(task)) passed.push(change)
    else {
      underWay.add(task)
      bytes += change.bytes
      batch.push(change)
    }
  }
  waiting.splice(0, batch.length + passed.length, ...passed)
  return batch
}
