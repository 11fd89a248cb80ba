/**
 * The tries of one batch: what is to be done after one that failed. A batch that fell is judged change
 * by change; one that falls then too is judged again some times, since others may have been quicker,
 * and halved; anything else is tried again for as long as there is patience. What was sent has the
 * patience of its batch; what was not has its own, which may have begun long before its turn.
 */
import { setTimeout } from "node:timers/promises"
import { CONDITION_FAILED } from "./batch-statement.ts"
import type { Change } from "./change.ts"
import { DEFAULTS } from "./defaults.ts"
import { hasWaitedThrough } from "./outage.ts"
import { isHeldUp, readState, toFault } from "./sql-error.ts"

export interface Attempt {
  readonly startedAt: number
  /** Since when nothing is taken: before the batch had its turn, or from there on. */
  readonly outageAt: number
  isCareful: boolean
  /** Whether an earlier try was sent and not answered. */
  isUnknown: boolean
  /** How often the batch waited in vain for what somebody else holds. */
  heldUp: number
  races: number
  pauses: number
}

export type Next = "again" | "halve" | "give-up"

/** Judging again finds what others did meanwhile; a change that falls more often is at fault. */
const MOST_RACES = 3

/**
 * `isUnknown`: the batch is part of one that was sent and not answered; `outageAt`: since when nothing
 * is taken, if so.
 */
export function beginAttempt(
  isCareful: boolean,
  isUnknown: boolean,
  outageAt: number | undefined,
): Attempt {
  const startedAt = performance.now()
  const counts = { heldUp: 0, races: 0, pauses: 0 }
  return { startedAt, outageAt: outageAt ?? startedAt, isCareful, isUnknown, ...counts }
}

/**
 * Whether a change whose try failed with `error` was never sent, and waits no longer. A task that is
 * asked for waits from its arrival, what already happened from its turn.
 */
export function isOverdue(change: Change, attempt: Attempt, error: unknown): boolean {
  if (isFallen(error) || wasSent(attempt, error)) return false
  if (change.isJudged) return hasWaitedThrough(change, attempt.outageAt)
  return performance.now() - attempt.startedAt >= DEFAULTS.connectPatienceMs
}

function wasSent({ isUnknown }: Attempt, error: unknown): boolean {
  return isUnknown || toFault(error) === "passing"
}

/** What follows on `error`; resolves behind the pause where that is another try. */
export async function decideNext(
  attempt: Attempt,
  error: unknown,
  changeCount: number,
): Promise<Next> {
  if (isFallen(error)) {
    if (attempt.isCareful) attempt.races += 1
    attempt.isCareful = true
    return attempt.races <= MOST_RACES ? "again" : "halve"
  }
  attempt.isCareful = true
  if (isHeldUp(error)) {
    attempt.heldUp += 1
    // The tasks that are held are left out first; then it is something else of one of them.
    if (attempt.heldUp === 1) return "again"
    if (changeCount > 1) return "halve"
    // A lane waits for nobody but its own lost session: who handed it in may do so again.
    if (!attempt.isUnknown) return "give-up"
  }
  const { patienceMs, retryMaxMs, retryMs } = DEFAULTS
  if (performance.now() - attempt.startedAt >= patienceMs) return "give-up"
  await setTimeout(Math.min(retryMs * 2 ** attempt.pauses, retryMaxMs))
  attempt.pauses += 1
  return "again"
}

/** Whether the database answered, and the batch as a whole may not stand. */
export function isFallen(error: unknown): boolean {
  return readState(error) === CONDITION_FAILED || toFault(error) === "change"
}
