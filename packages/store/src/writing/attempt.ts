/**
 * The tries of one batch, and what follows on a failure. A batch that was refused as a whole is judged change by
 * change; if that is refused too, it is judged again some times, since other transactions may have been quicker,
 * and halved. Any other failure is tried again within a time limit: that of the batch for changes that were sent, and
 * their own for changes that were not, which may have begun long before.
 */
import { setTimeout } from "node:timers/promises"
import { isPassing, toFault } from "../sql/database-error.ts"
import type { How } from "./lane.ts"
import type { Patience } from "./patience.ts"

/** A change that waits to be committed, and the promise of its caller. */
export interface Pending<Work, Outcome> {
  readonly work: Work
  /** About how much it adds to a batch. */
  readonly bytes: number
  /** Whether it may be refused, as a request for a new task may be; a fact must be recorded. */
  readonly isAsked: boolean
  /** When it was handed in, on the monotonic clock. */
  readonly arrivedAt: number
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: Error) => void
}

export type AnyPending = Pending<unknown, never>

export interface Attempt extends How {
  readonly startedAt: number
  /** Since when the database takes no commits: before the batch was begun, or later. */
  readonly outageAt: number
  judgesEach: boolean
  isUnknown: boolean
  lockTimeouts: number
  races: number
  pauses: number
}

export type Next = "again" | "halve" | "give-up"

/** A second judgement sees the commits of others meanwhile; a change that fails more often is itself at fault. */
const MOST_RACES = 3

/** `outageAt`: since when the database takes no commits, if so. */
export function beginAttempt(
  { judgesEach, isUnknown }: Pick<How, "judgesEach" | "isUnknown">,
  outageAt: number | undefined,
): Attempt {
  const startedAt = performance.now()
  const counts = { lockTimeouts: 0, races: 0, pauses: 0 }
  return { startedAt, outageAt: outageAt ?? startedAt, judgesEach, isUnknown, ...counts }
}

/**
 * Whether a change whose try failed with `error` was never sent, and its time is over. The time of a new task begins
 * with its arrival, that of a fact when its batch was begun.
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

/** Whether a new task waited for all of its time while the database took no commits. */
export function hasWaitedThrough(
  { arrivedAt, isAsked }: AnyPending,
  since: number,
  { connectPatienceMs }: Patience,
): boolean {
  return isAsked && performance.now() - Math.max(arrivedAt, since) >= connectPatienceMs
}

/** What follows on `error`; resolves after the pause if that is another try. */
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
    // A lane waits only for its own lost session: the caller may submit the change again.
    if (!attempt.isUnknown) return "give-up"
  }
  if (performance.now() - attempt.startedAt >= patienceMs) return "give-up"
  await setTimeout(Math.min(retryMs * 2 ** attempt.pauses, retryMaxMs))
  attempt.pauses += 1
  return "again"
}

/** Whether the database answered, and refused the batch as a whole. */
export function isFallen(error: unknown): boolean {
  return toFault(error) === "change"
}
