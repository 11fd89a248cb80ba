/**
 * Committing one batch, however often it takes. A batch stands or falls as a whole; where it falls, it
 * is judged change by change.
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
import { isSafelightError, type SafelightError } from "@safelight/core"
import { toFault, toSafelightError, toUndone } from "../sql/database-error.ts"
import {
  beginAttempt,
  decideNext,
  isFallen,
  isOverdue,
  type Attempt,
  type Pending,
} from "./attempt.ts"
import type { How, Lane } from "./lane.ts"
import type { Outage } from "./outage.ts"
import type { Patience } from "./patience.ts"

/** Settles every change of a batch, and resolves to whether the database answered for them; never rejects. */
export type Commit<Work, Outcome> = (
  lane: Lane<Work, Outcome>,
  batch: readonly Pending<Work, Outcome>[],
) => Promise<boolean>

const AT_ONCE = { judgesEach: false, isUnknown: false }

export function createTries<Work, Outcome>(
  outage: Outage,
  patience: Patience,
): Commit<Work, Outcome> {
  type Batch = readonly Pending<Work, Outcome>[]

  async function halve(
    lane: Lane<Work, Outcome>,
    batch: Batch,
    error: unknown,
    isUnknown: boolean,
  ) {
    const [only] = batch
    if (batch.length === 1 && only !== undefined) {
      only.reject(toSafelightError(error))
      return
    }
    const middle = Math.ceil(batch.length / 2)
    const how = { judgesEach: true, isUnknown }
    await commit(lane, batch.slice(0, middle), how)
    await commit(lane, batch.slice(middle), how)
  }

  /** Returns those that continue to wait. */
  function refuseOverdue(batch: Batch, attempt: Attempt, error: unknown): Batch {
    return batch.filter((change) => {
      const isOver = isOverdue(change, attempt, error, patience)
      if (isOver) change.reject(toUndone(error))
      return !isOver
    })
  }

  async function commit(
    lane: Lane<Work, Outcome>,
    batch: Batch,
    how: Pick<How, "judgesEach" | "isUnknown">,
  ): Promise<boolean> {
    const attempt = beginAttempt(how, outage.since())
    for (let rest = batch; ;) {
      const triedAt = performance.now()
      try {
        settle(rest, await lane.commit(rest.map(toWork), attempt))
        outage.noteAnswered()
        return true
      } catch (error) {
        if (toFault(error) === "lost") attempt.isUnknown = true
        outage.noteFailed(error, triedAt)
        rest = refuseOverdue(rest, attempt, error)
        if (rest.length === 0) return false
        const next = await decideNext(attempt, error, rest.length, patience)
        if (next === "again") continue
        if (next === "halve") await halve(lane, rest, error, attempt.isUnknown)
        else for (const change of rest) change.reject(toGivenUp(error, attempt))
        return isFallen(error)
      }
    }
  }

  return (lane, batch) => commit(lane, batch, AT_ONCE)
}

function toWork<Work>({ work }: Pending<Work, never>): Work {
  return work
}

function settle<Outcome>(
  batch: readonly Pending<unknown, Outcome>[],
  outcomes: readonly (Outcome | SafelightError)[],
): void {
  for (const [index, change] of batch.entries()) {
    const outcome = outcomes[index]
    if (outcome === undefined) change.reject(new RangeError("a lane forgot a change"))
    else if (isSafelightError(outcome)) change.reject(outcome)
    else change.resolve(outcome)
  }
}

function toGivenUp(cause: unknown, { isUnknown }: Attempt): SafelightError {
  return isUnknown ? toSafelightError(cause) : toUndone(cause)
}
