/**
 * The group commit over lanes to one server, and how long changes wait for it: who asks for a new task
 * is answered in time, whatever becomes of the server.
 */
import { SafelightError } from "@safelight/core"
import { closed, createGroupCommit, type Commit, type GroupCommit } from "@safelight/store"
import type { Change, Outcome } from "./change.ts"
import { DEFAULTS } from "./defaults.ts"
import { createFullAccounts } from "./full-accounts.ts"
import type { Lane } from "./lane.ts"
import { hasWaitedThrough, type Outage } from "./outage.ts"
import { createProof } from "./proof.ts"
import { toUndone, unknownOutcome } from "./sql-error.ts"

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

export function createWriter({ lanes, outage, onCommit, onQueued }: WriterOptions): Writer {
  const full = createFullAccounts()
  const group: GroupCommit<Lane, Change> = createGroupCommit({
    lanes,
    commit: (lane, batch) => lane.commit(batch, full.areIn(batch)),
    toKey: ({ append }) => append.task,
    beforeNext: refuseOverdue,
    onDone(batch, commit) {
      proof.noteDone()
      if (batch.some(isForAnybody)) onQueued()
      onCommit(commit)
    },
  })
  const proof = createProof({ idle: group.idle, outage, onIdle: group.proceed })

  /** A lane spends all its patience on one batch; what waits behind it must not wait for each in turn. */
  function refuseOverdue(): void {
    const since = outage.since()
    if (since === undefined) return
    const overdue = group.waiting.takeWhere((change) => hasWaitedThrough(change, since))
    for (const change of overdue) change.reject(toUndone(outage.error()))
  }

  return {
    prove: () => (group.isClosed() ? Promise.reject(closed()) : proof.prove()),
    write: (change) =>
      new Promise((resolve, reject) => {
        const arrived = { ...change, arrivedAt: performance.now(), resolve, reject }
        group.add(change.isJudged ? answerInTime(arrived, group.waiting) : arrived)
      }),
    noteJudged: full.note,
    drain: group.drain,
  }
}

/** Refuses it when its time is over: as undone where it still waits, and else as unknown. */
function answerInTime(arrived: Change, waiting: GroupCommit<Lane, Change>["waiting"]): Change {
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
