/**
 * The oracle's view of what the log can't show by itself: each task that has not ended, and no other, stands in
 * the queue, and each that retention still owes something stands in its table. A task that lacks its row
 * hangs for ever, or keeps its prompt for ever, and nothing else says so.
 */
import { isTerminal, lastExpiryAt, type Task } from "@safelight/core"

/** The tasks of a table. */
export interface KeptRows {
  /** `ready`. */
  readonly queued: ReadonlySet<string>
  /** `retention`, with the moment of the next look. */
  readonly retained: ReadonlyMap<string, number>
}

export interface RetentionTimes {
  readonly inputRetentionMs: number
  readonly removeAfterMs: number
  /** The moment that the last sweep was as of, or later. */
  readonly sweptAt: number
}

export function judgeRows(
  { queued, retained }: KeptRows,
  times: RetentionTimes,
  task: Task,
  fail: (words: string) => void,
): void {
  const { id, state } = task
  const hasEnded = isTerminal(task)
  if (!hasEnded && !queued.has(id)) fail(`task ${id} (${state}) is not in the queue`)
  if (hasEnded && queued.has(id)) fail(`task ${id} (${state}) is still in the queue`)
  const lookAt = retained.get(id)
  if (hasEnded) judgeLook(lookAt, times, task, fail)
  else if (lookAt !== undefined) fail(`retention looks at task ${id}, which has not ended`)
}

function judgeLook(
  lookAt: number | undefined,
  times: RetentionTimes,
  task: Task & { readonly finishedAt: number },
  fail: (words: string) => void,
): void {
  const { id } = task
  const last = toLastDueAt(task, times)
  // What was due by the last sweep was done, and what comes later is awaited.
  if (last > times.sweptAt && lookAt === undefined) {
    fail(`retention has forgotten task ${id}, of which something is due at ${last}`)
  }
  if (lookAt !== undefined && lookAt > last) {
    fail(`retention looks at task ${id} at ${lookAt}, and nothing is due after ${last}`)
  }
}

/** When the last thing is due of a task: its inputs erased, its expiry, its bytes removed. */
function toLastDueAt(
  task: Task,
  { inputRetentionMs, removeAfterMs }: Omit<RetentionTimes, "sweptAt">,
): number {
  const expiryAt = lastExpiryAt(task)
  const bytesAt = Math.max(task.finishedAt, expiryAt) + removeAfterMs
  return Math.max(task.finishedAt + inputRetentionMs, bytesAt)
}
