/**
 * The tries of one batch: what is to be done after one that failed. A batch that fell is judged change
 * by change; one that falls then too is judged again some times, since others may have been quicker,
 * and halved; anything else is tried again for as long as there is patience.
 */
import { setTimeout } from "node:timers/promises"
import { CONDITION_FAILED } from "./batch-statement.ts"
import { DEFAULTS } from "./defaults.ts"
import { readState, toFault } from "./sql-error.ts"

export interface Attempt {
  readonly startedAt: number
  isCareful: boolean
  /** Whether an earlier try was sent and not answered. */
  isUnknown: boolean
  races: number
  pauses: number
}

export type Next = "again" | "halve" | "give-up"

/** Judging again finds what others did meanwhile; a change that falls more often is at fault. */
const MOST_RACES = 3

export function beginAttempt(isCareful: boolean): Attempt {
  return { startedAt: performance.now(), isCareful, isUnknown: false, races: 0, pauses: 0 }
}

/** What follows on `error`; resolves behind the pause where that is another try. */
export async function decideNext(attempt: Attempt, error: unknown): Promise<Next> {
  if (isFallen(error)) {
    if (attempt.isCareful) attempt.races += 1
    attempt.isCareful = true
    return attempt.races <= MOST_RACES ? "again" : "halve"
  }
  attempt.isCareful = true
  const { connectPatienceMs, patienceMs, retryMaxMs, retryMs } = DEFAULTS
  const enoughMs = attempt.isUnknown ? patienceMs : connectPatienceMs
  if (performance.now() - attempt.startedAt >= enoughMs) return "give-up"
  await setTimeout(Math.min(retryMs * 2 ** attempt.pauses, retryMaxMs))
  attempt.pauses += 1
  return "again"
}

/** Whether the database answered, and the batch as a whole may not stand. */
export function isFallen(error: unknown): boolean {
  return readState(error) === CONDITION_FAILED || toFault(error) === "change"
}
