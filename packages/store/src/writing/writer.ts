/**
 * The one write path: changes are gathered, committed in batches over lanes, tried again as long as that
 * can help, and settled. A caller that asks for a new task is answered in time, whatever the database does.
 */
import { SafelightError } from "@safelight/core"
import { closed, toUndone } from "../sql/database-error.ts"
import { hasWaitedThrough, type Pending } from "./attempt.ts"
import { createGroupCommit, type Commit, type GroupCommit } from "./group-commit.ts"
import type { Lane } from "./lane.ts"
import { createOutage } from "./outage.ts"
import { NO_PATIENCE, type Patience } from "./patience.ts"
import { createProof } from "./proof.ts"
import { createTries } from "./tries.ts"

export interface Writer<Work, Outcome> {
  /**
   * Resolves once the work is durable, or refused. Rejects with `overloaded`, or with
   * `storage-unavailable`: retryable unless the work itself is at fault, and `isUndone` where surely
   * nothing of it is stored. Otherwise the same work may be handed in again.
   */
  readonly write: (
    change: Pick<Pending<Work, Outcome>, "work" | "bytes" | "isAsked">,
  ) => Promise<Outcome>
  /** Proves that changes are committed right now; rejects with a `SafelightError`. */
  readonly prove: () => Promise<void>
  /** Resolves once everything handed in is settled; later writes reject. */
  readonly drain: () => Promise<void>
}

export interface WriterOptions<Work, Outcome> {
  readonly lanes: readonly Lane<Work, Outcome>[]
  /** None by default. */
  readonly patience?: Patience
  /** Of the work with one key one piece is under way at a time. Absent: the lanes keep their order. */
  readonly toKey?: (work: Work) => string
  readonly onCommit?: (commit: Commit) => void
}

export function createWriter<Work, Outcome>(
  options: WriterOptions<Work, Outcome>,
): Writer<Work, Outcome> {
  const { lanes, patience = NO_PATIENCE, toKey, onCommit = () => {} } = options
  type Change = Pending<Work, Outcome>
  const outage = createOutage()
  const group: GroupCommit<Lane<Work, Outcome>, Change> = createGroupCommit({
    lanes,
    commit: createTries<Work, Outcome>(outage, patience),
    ...(toKey && { toKey: ({ work }: Change) => toKey(work) }),
    beforeNext: refuseOverdue,
    onDone(commit) {
      proof.noteDone()
      onCommit(commit)
    },
  })
  const proof = createProof({ idle: group.idle, outage, onIdle: group.proceed })

  /** A lane may spend all its time on one batch; changes behind it must not wait for one after another. */
  function refuseOverdue(): void {
    const since = outage.since()
    if (since === undefined) return
    const overdue = group.waiting.takeWhere((change) => hasWaitedThrough(change, since, patience))
    for (const change of overdue) change.reject(toUndone(outage.error()))
  }

  return {
    prove: () => (group.isClosed() ? Promise.reject(closed()) : proof.prove()),
    write: (change) =>
      new Promise((resolve, reject) => {
        const arrived = { ...change, arrivedAt: performance.now(), resolve, reject }
        const isTimed = change.isAsked && patience.answerMs < Infinity
        group.add(isTimed ? answerInTime(arrived, group.waiting, patience) : arrived)
      }),
    drain: group.drain,
  }
}

/** Rejects it when its time is over: as undone if it still waits, and as unknown otherwise. */
function answerInTime<Work, Outcome>(
  arrived: Pending<Work, Outcome>,
  waiting: GroupCommit<never, Pending<Work, Outcome>>["waiting"],
  { answerMs }: Patience,
): Pending<Work, Outcome> {
  const change: Pending<Work, Outcome> = {
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
    arrived.reject(unanswered(waiting.remove(change)))
  }, answerMs)
  return change
}

/** `isUndone`: it was never sent. */
function unanswered(isUndone: boolean): SafelightError {
  const message = isUndone
    ? "the database answers nobody who came before"
    : "the database did not say whether the task was stored"
  return new SafelightError({ code: "storage-unavailable", message, retryable: true, isUndone })
}
