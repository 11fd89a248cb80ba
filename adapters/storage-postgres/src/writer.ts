/**
 * Group commit. Changes that queue up while earlier ones are being committed go out together; there is
 * no timer. A crowd is divided over the idle lanes, so that one part is made ready while another is
 * committed.
 */
import { SafelightError } from "@safelight/core"
import type { Change, Outcome } from "./change.ts"
import { DEFAULTS } from "./defaults.ts"
import { createFullAccounts } from "./full-accounts.ts"
import type { Lane } from "./lane.ts"
import type { Outage } from "./outage.ts"
import { createProof } from "./proof.ts"
import { closed, toUndone, unknownOutcome } from "./sql-error.ts"
import { createWaitingChanges, type WaitingChanges } from "./waiting-changes.ts"

/** What was committed together, or given up, for who watches. */
export interface Commit {
  readonly changes: number
  readonly durationMs: number
  readonly isFailed: boolean
}

export interface Writer {
  /** Resolves once the change is durable, or refused. */
  readonly write: (change: Omit<Change, "arrivedAt" | "resolve" | "reject">) => Promise<Outcome>
  /** Hears what became of a judged change: a batch with a full account is judged at once. */
  readonly noteJudged: (change: Change, outcome: Outcome) => void
  /** Proves that changes are committed right now; rejects with a `SafelightError`. */
  readonly prove: () => Promise<void>
  /** Resolves once everything handed in is settled; later writes reject. */
  readonly drain: () => Promise<void>
}

export interface WriterOptions {
  readonly lanes: readonly Lane[]
  /** As the lanes find it. */
  readonly outage: Outage
  readonly onCommit: (commit: Commit) => void
  /** Called behind a batch that put tasks into the queue which nobody holds. */
  readonly onQueued: () => void
}

/** Fewer changes than this share one commit: dividing them would double it for nothing. */
const SMALLEST_CROWD = 16

export function createWriter({ lanes, outage, onCommit, onQueued }: WriterOptions): Writer {
  const idle = [...lanes]
  const waiting = createWaitingChanges()
  const full = createFullAccounts()
  let isFlushing = false
  let isClosed = false
  const drained = Promise.withResolvers<void>()
  const proof = createProof({ idle, outage, onIdle: continueOrRest })

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
    const isCommitted = await lane.commit(batch, full.areIn(batch))
    waiting.settle(batch)
    idle.push(lane)
    proof.noteDone()
    continueOrRest()
    if (batch.some(isForAnybody)) onQueued()
    // Last: it is the host's own.
    const durationMs = performance.now() - startedAt
    onCommit({ changes: batch.length, durationMs, isFailed: !isCommitted })
  }

  function continueOrRest(): void {
    refuseOverdue(waiting, outage)
    scheduleFlush()
    if (isClosed && waiting.count() === 0 && idle.length === lanes.length) drained.resolve()
  }

  return {
    prove: () => (isClosed ? Promise.reject(closed()) : proof.prove()),
    write(change) {
      if (isClosed) return Promise.reject(closed())
      // What happened must be written down; what is only asked for may be refused.
      if (change.isJudged && waiting.isFull()) return Promise.reject(overloaded())
      return new Promise((resolve, reject) => {
        const arrived = { ...change, arrivedAt: performance.now(), resolve, reject }
        waiting.add(change.isJudged ? answerInTime(arrived, waiting) : arrived)
        scheduleFlush()
      })
    },
    noteJudged: full.note,
    drain() {
      isClosed = true
      continueOrRest()
      return drained.promise
    },
  }
}

/** Refuses it when its time is over: as undone where it still waits, and else as unknown. */
function answerInTime(arrived: Change, waiting: WaitingChanges): Change {
  const change: Change = {
    ...arrived,
    resolve(outcome) {
      clearTimeout(timer)
      arrived.resolve(outcome)
    },
    reject(error) {
      clearTimeout(timer)
      arrived.reject(error)
    },
  }
  const timer = setTimeout(() => {
    arrived.reject(waiting.remove(change) ? unanswered() : unknownOutcome())
  }, DEFAULTS.answerMs)
  return change
}

/** A lane spends all its patience on one batch; what waits behind it must not wait for each in turn. */
function refuseOverdue(waiting: WaitingChanges, outage: Outage): void {
  const since = outage.since()
  if (since === undefined) return
  for (const change of waiting.takeOverdue(since)) change.reject(toUndone(outage.error()))
}

function toShare(count: number, lanes: number): number {
  return count < SMALLEST_CROWD ? count : Math.ceil(count / lanes)
}

/** Whether a change put a task into the queue that nobody holds. */
function isForAnybody({ append: { queue } }: Change): boolean {
  return queue !== undefined && queue.kind !== "finish" && queue.lease === null
}

function unanswered(): SafelightError {
  const message = "the database answers nobody who came before"
  return new SafelightError({
    code: "storage-unavailable",
    message,
    retryable: true,
    isUndone: true,
  })
}

function overloaded(): SafelightError {
  const message = "too much waits to be stored"
  return new SafelightError({
    code: "overloaded",
    message,
    retryable: true,
    retryAfterMs: 1_000,
    isUndone: true,
  })
}
