/**
 * When a task is looked at next, told from the task alone: the place it takes in the queue after
 * an append, and the moments at which retention looks at a finished one.
 */
import {
  isTerminal,
  lastExpiryAt,
  type Channel,
  type QueueChange,
  type Task,
} from "@safelight/core"
import { toBackoffMs, type EngineSettings } from "./settings.ts"

/**
 * What an append that led from `before` to `task` does to its place in the queue; undefined:
 * nothing, and whoever holds the task goes on.
 */
export function toQueueChange(
  before: Task,
  task: Task,
  channel: Channel | undefined,
  settings: EngineSettings,
  now: number,
): QueueChange | undefined {
  // Bytes of what has expired may be left: whoever recorded that says when they are gone.
  if (task.state === "succeeded.expired") return { kind: "finish", retainAt: now }
  if (isTerminal(task)) return { kind: "finish", retainAt: nextRetentionAt(task, settings, now) }
  if (task.state === "queued") {
    return { kind: "reschedule", dueAt: task.deferral?.retryAt ?? now, lease: null }
  }
  // A doubtful task is nobody's: what was adopted wants to be followed by whoever takes it next.
  const isAdopted = before.state === "doubtful" && task.state === "running"
  if (isAdopted) return { kind: "reschedule", dueAt: now, lease: null }
  if (task.state !== "doubtful") return undefined
  return { kind: "reschedule", dueAt: toDoubtDueAt(task, channel, settings, now), lease: null }
}

/** When a doubt is taken up, by what the channel promises of a repeat (design §5). */
function toDoubtDueAt(
  task: Task,
  channel: Channel | undefined,
  settings: EngineSettings,
  now: number,
): number {
  if (channel === undefined || channel.submission.kind === "unkeyed") return task.endBy
  return now + toBackoffMs(settings, task.attempt)
}

/** When retention must look at a finished task after `now`; null: never again. */
export function nextRetentionAt(task: Task, settings: EngineSettings, now: number): number | null {
  const expiryAt = lastExpiryAt(task)
  const { finishedAt } = task
  const moments = [finishedAt + settings.removeAfterMs, finishedAt + settings.inputRetentionMs]
  if (expiryAt > 0) moments.push(expiryAt, expiryAt + settings.removeAfterMs)
  const ahead = moments.filter((at) => at > now)
  return ahead.length === 0 ? null : Math.min(...ahead)
}
