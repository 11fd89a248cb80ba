/**
 * One lane of the group commit: a connection that commits one batch after another. A batch goes out
 * as one statement, which stands or falls as a whole; where it falls, it is judged change by change.
 *
 *   at once ──stands──▶ settled
 *      └─falls─▶ judged ──survivors stand──▶ settled
 *                  ├─fall again─▶ halved, each judged by itself; one alone is rejected
 *                  └─lost, passing─▶ the very same batch again, on another connection if need be;
 *                     what was never sent and waited long enough is left out, and rejected
 *
 * A reply that was lost proves nothing: the old session may still commit. The same batch is judged
 * again then, and what is stored by its hash counts as committed; what the old session still holds
 * makes the new one wait for it.
 */
import { SafelightError } from "@safelight/core"
import { beginAttempt, decideNext, isFallen, isOverdue, type Attempt } from "./attempt.ts"
import { toBatchRows } from "./batch-rows.ts"
import { toBatchStatement } from "./batch-statement.ts"
import { ADMITTED, type Change, type Outcome } from "./change.ts"
import { commitJudged } from "./commit-judged.ts"
import type { Connection } from "./connection.ts"
import type { Judgement } from "./judge.ts"
import { createLaneConnection } from "./lane-connection.ts"
import type { Outage } from "./outage.ts"
import { toFault, toSafelightError, toUndone, unknownOutcome } from "./sql-error.ts"

export interface LaneOptions {
  readonly open: () => Promise<Connection>
  /** Of all lanes. */
  readonly outage: Outage
  /** Hears what became of each change of a batch that was judged. */
  readonly onJudged: (change: Change, outcome: Outcome) => void
}

export interface Lane {
  /** Settles every change, and tells whether the database answered for them; never rejects. */
  readonly commit: (changes: readonly Change[], isCareful: boolean) => Promise<boolean>
  /** Proves that it can commit, as `LaneConnection` does. Not while it commits. */
  readonly prove: () => Promise<void>
  readonly close: () => void
}

export function createLane({ open, outage, onJudged }: LaneOptions): Lane {
  const held = createLaneConnection(open, outage)

  async function tryOnce(changes: readonly Change[], attempt: Attempt): Promise<void> {
    const connection = await held.get()
    try {
      if (attempt.isCareful) {
        const asksHeld = attempt.heldUp > 0
        settle(await commitJudged(connection, changes, asksHeld), attempt, onJudged)
      } else {
        await connection.run(toBatchStatement(toBatchRows(changes, true)))
        for (const change of changes) change.resolve(ADMITTED)
      }
    } catch (error) {
      if (toFault(error) === "lost") attempt.isUnknown = true
      held.note(error)
      throw error
    }
  }

  async function halve(
    changes: readonly Change[],
    error: unknown,
    isUnknown: boolean,
  ): Promise<void> {
    const [only] = changes
    if (changes.length === 1 && only !== undefined) {
      only.reject(toSafelightError(error))
      return
    }
    const middle = Math.ceil(changes.length / 2)
    await commit(changes.slice(0, middle), true, isUnknown)
    await commit(changes.slice(middle), true, isUnknown)
  }

  async function commit(
    changes: readonly Change[],
    isCareful: boolean,
    isUnknown = false,
  ): Promise<boolean> {
    const attempt = beginAttempt(isCareful, isUnknown, outage.since())
    for (let rest = changes; ;) {
      const triedAt = performance.now()
      try {
        await tryOnce(rest, attempt)
        outage.noteAnswered()
        return true
      } catch (error) {
        outage.noteFailed(error, triedAt)
        rest = refuseOverdue(rest, attempt, error)
        if (rest.length === 0) return false
        const next = await decideNext(attempt, error, rest.length)
        if (next === "again") continue
        if (next === "halve") await halve(rest, error, attempt.isUnknown)
        else for (const change of rest) change.reject(toGivenUp(change, attempt, error))
        return isFallen(error)
      }
    }
  }

  return { commit, prove: held.prove, close: held.close }
}

function settle(
  { decided, held, survivors }: Judgement,
  { isUnknown }: Attempt,
  onJudged: LaneOptions["onJudged"],
): void {
  const tell = (change: Change, outcome: Outcome): void => {
    onJudged(change, outcome)
    // An earlier try that nobody heard of may still find room.
    if (isUnknown && outcome.kind === "refused") change.reject(unknownOutcome())
    else change.resolve(outcome)
  }
  for (const [change, outcome] of decided) tell(change, outcome)
  for (const change of survivors) tell(change, ADMITTED)
  for (const change of held) change.reject(heldByOthers(change))
}

/** Gives back those that go on waiting. */
function refuseOverdue(
  changes: readonly Change[],
  attempt: Attempt,
  error: unknown,
): readonly Change[] {
  const rest: Change[] = []
  for (const change of changes) {
    if (isOverdue(change, attempt, error)) change.reject(toUndone(error))
    else rest.push(change)
  }
  return rest
}

function heldByOthers({ append: { task } }: Change): SafelightError {
  const message = `task ${task} is held by another transaction`
  return new SafelightError({ code: "storage-unavailable", message, retryable: true })
}

/** A task that may be stored must not be taken for refused; an append may simply be handed in again. */
function toGivenUp(change: Change, { isUnknown }: Attempt, cause: unknown): SafelightError {
  if (!isUnknown) return toUndone(cause)
  return change.isJudged ? unknownOutcome(cause) : toSafelightError(cause)
}
