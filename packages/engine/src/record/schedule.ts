/**
 * When a task is looked at next, derived from the task alone: the place it takes in the queue after
 * an append, and the moments at which retention looks at a finished one.
 */
import {
  isTerminal,
  lastExpiryAt,
  type Channel,
  type QueueChange,
  type Task,
} from "@safelight/core"
import { toBackoffMs, type EngineSettings } from "../host/settings.ts"

/**
 * What an append that led from `before` to `task` does to its place in the queue; undefined:
 * nothing, and the process that holds the task continues.
 */
export function toQueueChange(
  before: Task,
  task: Task,
  channel: Channel | undefined,
  settings: EngineSettings,
  now: number,
): QueueChange | undefined {
  // Bytes of what has expired may be left: the process that recorded that says when they are gone.
  if (task.state === "succeeded.expired") return { kind: "finish", retainAt: now }
  if (isTerminal(task)) return { kind: "finish", retainAt: nextRetentionAt(task, settings, now) }
  if (task.state === "queued") {
    return { kind: "reschedule", dueAt: task.deferral?.retryAt ?? now, lease: null }
  }
  // A doubtful task is held by no process: an adopted one is followed by the next that takes it.
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
  const { inputsAt, expiryAt, removals } = toRetentionMoments(task, settings)
  const ahead = [inputsAt, expiryAt, ...removals].filter((at) => at > now)
  return ahead.length === 0 ? null : Math.min(...ahead)
}

/**
 * Whether a look at `now` is one for the task's bytes: the moment that it comes for is a removal's, or no
 * other look follows, which makes up for removals that were missed.
 */
export function areBytesDue(task: Task, settings: EngineSettings, now: number): boolean {
  const { inputsAt, expiryAt, removals } = toRetentionMoments(task, settings)
  const firstAt = Math.min(...removals)
  if (now < firstAt) return false
  if (nextRetentionAt(task, settings, now) === null) return true
  const reached = [inputsAt, expiryAt, ...removals].filter((at) => at <= now)
  return removals.includes(Math.max(...reached))
}

interface RetentionMoments {
  readonly inputsAt: number
  /** 0 for a task without artifacts. */
  readonly expiryAt: number
  /** Of orphans, and of expired bytes. */
  readonly removals: readonly number[]
}

function toRetentionMoments(task: Task, settings: EngineSettings): RetentionMoments {
  const expiryAt = lastExpiryAt(task)
  const { finishedAt } = task
  const orphansAt = finishedAt + settings.removeAfterMs
  return {
    inputsAt: finishedAt + settings.inputRetentionMs,
    expiryAt,
    removals: expiryAt > 0 ? [orphansAt, expiryAt + settings.removeAfterMs] : [orphansAt],
  }
}
