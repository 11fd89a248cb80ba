/**
 * The tries of one batch: what is to be done after one that failed. A batch that fell is judged change
 * by change; one that falls then too is judged again some times, since others may have been quicker,
 * and halved; anything else is tried again for as long as there is patience. What was sent has the
 * patience of its batch; what was not has its own, which may have begun long before it was sent.
 */
import { setTimeout } from "node:timers/promises"
import { isPassing, toFault } from "../database-error.ts"
import type { How } from "./lane.ts"
import type { Patience } from "./patience.ts"

/** A change that waits to be committed, and who waits for it. */
export interface Pending<Work, Outcome> {
  readonly work: Work
  /** What it adds to a batch, near enough. */
  readonly bytes: number
  /** Whether it is only asked for: what already happened must be written down, this may be refused. */
  readonly isAsked: boolean
  /** When it was handed in, on the monotonic clock. */
  readonly arrivedAt: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: Error) => void
}

export type AnyPending = Pending<unknown, never>

export interface Attempt extends How {
  readonly startedAt: number
  /** Since when nothing is taken: before the batch was taken up, or from there on. */
  readonly outageAt: number
  judgesEach: boolean
  isUnknown: boolean
  lockTimeouts: number
  races: number
  pauses: number
}

export type Next = "again" | "halve" | "give-up"

/** A second judgement sees what others did meanwhile; a change that fails more often is itself at fault. */
const MOST_RACES = 3

/** `outageAt`: since when nothing is taken, if so. */
export function beginAttempt(
  { judgesEach, isUnknown }: Pick<How, "judgesEach" | "isUnknown">,
  outageAt: number | undefined,
): Attempt {
  const startedAt = performance.now()
  const counts = { lockTimeouts: 0, races: 0, pauses: 0 }
  return { startedAt, outageAt: outageAt ?? startedAt, judgesEach, isUnknown, ...counts }
}

/**
 * Whether a change whose try failed with `error` was never sent, and waits no longer. A task that is
 * asked for waits from its arrival, what already happened from when its batch was taken up.
 */
export function isOverdue(
  change: AnyPending,
  attempt: Attempt,
  error: unknown,
  patience: Patience,
): boolean {
  const wasSent = attempt.isUnknown || isPassing(error)
  if (isFallen(error) || wasSent) return false
  if (change.isAsked) return hasWaitedThrough(change, attempt.outageAt, patience)
  return performance.now() - attempt.startedAt >= patience.connectPatienceMs
}

/** Whether a task that was asked for waited for all its patience while nothing was taken. */
export function hasWaitedThrough(
  { arrivedAt, isAsked }: AnyPending,
  since: number,
  { connectPatienceMs }: Patience,
): boolean {
  return isAsked && performance.now() - Math.max(arrivedAt, since) >= connectPatienceMs
}

/** What follows on `error`; resolves behind the pause where that is another try. */
export async function decideNext(
  attempt: Attempt,
  error: unknown,
  changeCount: number,
  { patienceMs, retryMaxMs, retryMs }: Patience,
): Promise<Next> {
  if (isFallen(error)) {
    if (attempt.judgesEach) attempt.races += 1
    attempt.judgesEach = true
    return attempt.races <= MOST_RACES ? "again" : "halve"
  }
  attempt.judgesEach = true
  if (toFault(error) === "held") {
    attempt.lockTimeouts += 1
    // The tasks that are held are left out first; then it is something else of one of them.
    if (attempt.lockTimeouts === 1) return "again"
    if (changeCount > 1) return "halve"
    // A lane waits only for its own lost session: the caller may hand the change in again.
    if (!attempt.isUnknown) return "give-up"
  }
  if (performance.now() - attempt.startedAt >= patienceMs) return "give-up"
  await setTimeout(Math.min(retryMs * 2 ** attempt.pauses, retryMaxMs))
  attempt.pauses += 1
  return "again"
}

/** Whether the database answered, and the batch as a whole may not stand. */
export function isFallen(error: unknown): boolean {
  return toFault(error) === "change"
}
