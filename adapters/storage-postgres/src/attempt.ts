/**
 * The tries of one batch: what is to be done after one that failed. A batch that fell is judged change
 * by change; one that falls then too is judged again some times, since others may have been quicker,
 * and halved; anything else is tried again for as long as there is patience.
 */
import { setTimeout } from "node:timers/promises"
import { CONDITION_FAILED } from "./batch-statement.ts"
import { DEFAULTS } from "./defaults.ts"
import { isHeldUp, readState, toFault } from "./sql-error.ts"

export interface Attempt {
  readonly startedAt: number
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

/** `isUnknown`: the batch is part of one that was sent and not answered. */
export function beginAttempt(isCareful: boolean, isUnknown: boolean): Attempt {
  return { startedAt: performance.now(), isCareful, isUnknown, heldUp: 0, races: 0, pauses: 0 }
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
  const { connectPatienceMs, patienceMs, retryMaxMs, retryMs } = DEFAULTS
  const wasSent = attempt.isUnknown || toFault(error) === "passing"
  const enoughMs = wasSent ? patienceMs : connectPatienceMs
  if (performance.now() - attempt.startedAt >= enoughMs) return "give-up"
  await setTimeout(Math.min(retryMs * 2 ** attempt.pauses, retryMaxMs))
  attempt.pauses += 1
  return "again"
}

/** Whether the database answered, and the batch as a whole may not stand. */
export function isFallen(error: unknown): boolean {
  return readState(error) === CONDITION_FAILED || toFault(error) === "change"
}
