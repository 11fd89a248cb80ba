/**
 * What was done to a round, as far as it may explain an end that is otherwise a broken promise. What
 * a reader would get wrong: a fault explains nothing by having happened. It must have stood between
 * this purchase and whoever had to write it down; `explainLoss` says when it did.
 */
import { isTerminal, type Task } from "@safelight/core"
import type { Creation } from "./creations.ts"

export interface Span {
  readonly from: number
  readonly to: number
}

export interface RoundFaults {
  /** When each node that is gone was found to be gone, by its name. */
  readonly endedAt: ReadonlyMap<string, number>
  /** While the storage could not be relied on, or a node was stopped. */
  readonly disturbances: readonly Span[]
  /** Commits of these times are gone: the storage was set back to what it was at their beginning. */
  readonly forgotten: readonly Span[]
  /** Whether clocks or sweeps ran past the ends of tasks before the faults were over. */
  readonly isTimeAhead: boolean
}

export const NO_FAULTS: RoundFaults = {
  endedAt: new Map(),
  disturbances: [],
  forgotten: [],
  isTimeAhead: false,
}

/** An undisturbed node has written down by then what it was told; far more than one needs. */
export const SETTLE_MS = 5_000

/** How long before a task's end its work must be complete to be heard of in time. */
const HAND_OVER_MS = 3_000

/** Whether `at` is one of the moments that the storage has forgotten. */
export function isForgotten({ forgotten }: RoundFaults, at: number): boolean {
  return forgotten.some(({ from, to }) => at >= from && at <= to)
}

/**
 * Whether what a stream showed then may have been forgotten. A node shows what it has in its memory until it is
 * connected to the database again, which takes less than a second.
 */
export function isShownForgotten({ forgotten }: RoundFaults, at: number): boolean {
  return forgotten.some(({ from, to }) => at >= from && at <= to + SETTLE_MS)
}

/** Whether what was told then may have been forgotten before: a task is lost for good, and messages wait in memory. */
export function wasForgotten({ forgotten }: RoundFaults, at: number): boolean {
  return forgotten.some(({ from }) => at >= from)
}

/**
 * Whether the name of the operation reached a node that could write it down for good: the node
 * lived on, undisturbed, for `SETTLE_MS`, before anything was forgotten.
 */
export function hasReached({ told }: Creation, faults: RoundFaults): boolean {
  return told.some(({ node, at }) => {
    const lostAt = faults.forgotten.map(({ from }) => from).filter((from) => from > at)
    const until = Math.min(faults.endedAt.get(node) ?? Infinity, ...lostAt)
    return !isForgotten(faults, at) && toCalmMs(faults, at, until) >= SETTLE_MS
  })
}

function toCalmMs({ disturbances }: RoundFaults, from: number, to: number): number {
  const spans = disturbances.toSorted((a, b) => a.from - b.from)
  let calmMs = to - from
  let countedTo = from
  for (const span of spans) {
    const start = Math.max(span.from, countedTo)
    const end = Math.min(span.to, to)
    if (end <= start) continue
    calmMs -= end - start
    countedTo = end
  }
  return calmMs
}

/**
 * Why `task` failed although `creation`, bought for it, was completed or would have been; undefined
 * where no fault explains it. These explain it:
 *
 *   - clocks or sweeps ran past the ends of tasks;
 *   - the channel is unkeyed, so a call may not be repeated, and its answer reached nobody who could
 *     write it down: it was lost on its way, or its caller was killed;
 *   - the purchase was made in a time that the storage has forgotten, and its answer reached nobody
 *     since, so nobody knows of it;
 *   - the work took until the end of the task's time.
 *
 * An upstream that is away, busy or slow, connections that are lost or refused, a node's death, its
 * wall clock and its configuration explain nothing with a channel that can be asked again.
 */
export function explainLoss(
  creation: Creation,
  task: Task,
  faults: RoundFaults,
): string | undefined {
  if (faults.isTimeAhead) return "clocks or sweeps ran past the ends of tasks"
  if (creation.kind === "unkeyed" && !hasReached(creation, faults)) {
    return "nobody who could write it down knew of it"
  }
  if (isForgotten(faults, creation.createdAt) && !hasReached(creation, faults)) {
    return "the storage forgot that it was asked for"
  }
  if (creation.completeAt + HAND_OVER_MS > task.endBy) return "it took until the task's end"
  return undefined
}

/** Codes of failures that mean: its time was up. */
const TIME_CODES: ReadonlySet<string> = new Set([
  "generation_timeout",
  "provider_unavailable",
  "upstream_outcome_unknown",
])

/** Whether the task failed because its time was up, by whatever clock. */
export function isTimedOut(task: Task): boolean {
  return isTerminal(task) && task.error !== null && TIME_CODES.has(task.error.code)
}
