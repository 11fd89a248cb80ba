/**
 * Group commit. Changes that queue up while earlier ones are being committed go out together; there is
 * no timer. A crowd is divided over the idle lanes, so that one part is made ready while another is
 * committed.
 *
 *   waiting ──(an idle lane)──▶ under way ──(the lane is done with its batch)──▶ settled
 */
import { closed, overloaded } from "../sql/database-error.ts"
import { createWaitingChanges, type PendingChange, type WaitingChanges } from "./waiting-changes.ts"

/** A batch that was committed or given up, for observers. */
export interface Commit {
  readonly changes: number
  /** From when it was handed to its lane. */
  readonly durationMs: number
  readonly isFailed: boolean
}

export interface GroupCommitOptions<Lane, Change> {
  readonly lanes: readonly Lane[]
  /**
   * Settles every change of the batch, and tells whether the database answered for them; never rejects.
   * It is called in the order in which the batches were gathered.
   */
  readonly commit: (lane: Lane, batch: readonly Change[]) => Promise<boolean>
  /** Of the changes with one key one is under way at a time. Absent: a batch keeps their order itself. */
  readonly toKey?: (change: Change) => string
  /** Called each time before the next batch is gathered. */
  readonly beforeNext?: () => void
  readonly onDone: (commit: Commit) => void
}

export interface GroupCommit<Lane, Change> {
  /** Rejects a change that may be refused if too many wait (`overloaded`), and every change once closed. */
  readonly add: (change: Change) => void
  readonly waiting: Pick<WaitingChanges<Change>, "remove" | "takeWhere">
  /** Idle lanes. A caller that removes some puts them back, and calls `proceed`. */
  readonly idle: Lane[]
  readonly proceed: () => void
  readonly isClosed: () => boolean
  /** Resolves once everything handed in is settled; nothing more is taken from then on. */
  readonly drain: () => Promise<void>
}

/** Fewer changes than this share one commit: dividing them would double it for nothing. */
const SMALLEST_CROWD = 16

export function createGroupCommit<Lane, Change extends PendingChange>(
  options: GroupCommitOptions<Lane, Change>,
): GroupCommit<Lane, Change> {
  const { lanes, beforeNext = () => {}, onDone } = options
  const idle = [...lanes]
  const waiting = createWaitingChanges(options.toKey)
  let isFlushing = false
  let isClosed = false
  const drained = Promise.withResolvers<void>()

  function scheduleFlush(): void {
    if (isFlushing || waiting.count() === 0 || idle.length === 0) return
    isFlushing = true
    // Behind the I/O of this turn of the event loop, so that changes of many sockets go together.
    setImmediate(flush)
  }

  function flush(): void {
    isFlushing = false
    while (waiting.count() > 0 && idle.length > 0) {
      const batch = waiting.take(toShare(waiting.count(), idle.length))
      const lane = batch.length > 0 ? idle.pop() : undefined
      if (lane === undefined) return
      void commit(lane, batch)
    }
  }

  async function commit(lane: Lane, batch: readonly Change[]): Promise<void> {
    const startedAt = performance.now()
    const isCommitted = await options.commit(lane, batch)
    waiting.settle(batch)
    idle.push(lane)
    proceed()
    // Last: it may be the host's own.
    const durationMs = performance.now() - startedAt
    onDone({ changes: batch.length, durationMs, isFailed: !isCommitted })
  }

  function proceed(): void {
    beforeNext()
    scheduleFlush()
    if (waiting.count() > 0 || idle.length < lanes.length) return
    if (isClosed) drained.resolve()
  }

  return {
    add(change) {
      if (isClosed) change.reject(closed())
      else if (change.isAsked && waiting.isFull())
        change.reject(overloaded("too much waits to be stored"))
      else {
        waiting.add(change)
        scheduleFlush()
      }
    },
    waiting,
    idle,
    proceed,
    isClosed: () => isClosed,
    drain() {
      isClosed = true
      proceed()
      return drained.promise
    },
  }
}

function toShare(count: number, lanes: number): number {
  return count < SMALLEST_CROWD ? count : Math.ceil(count / lanes)
}
