/**
 * When a task is visited next, computed from the task alone: its row in the queue after an append, and the moments
 * at which retention visits a finished task.
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
 * What an append that led from `before` to `task` does to the task's row in the queue; undefined: nothing, and the
 * lease that holds the task keeps it.
 */
export function toQueueChange(
  before: Task,
  task: Task,
  channel: Channel | undefined,
  settings: EngineSettings,
  now: number,
): QueueChange | undefined {
  // Bytes of expired artifacts may be left: the sweep that recorded the expiry sets when they are removed.
  if (task.state === "succeeded.expired") return { kind: "finish", retainAt: now }
  if (isTerminal(task)) return { kind: "finish", retainAt: nextRetentionAt(task, settings, now) }
  if (task.state === "queued") {
    return { kind: "reschedule", dueAt: task.deferral?.retryAt ?? now, lease: null }
  }
  // No lease holds a doubtful task: once its operation is adopted, the process that takes it next polls it.
  const isAdopted = before.state === "doubtful" && task.state === "running"
  if (isAdopted) return { kind: "reschedule", dueAt: now, lease: null }
  if (task.state !== "doubtful") return undefined
  return { kind: "reschedule", dueAt: toDoubtDueAt(task, channel, settings, now), lease: null }
}

/** When a doubtful task is due, by what the channel declares of a repeat (design §5). */
function toDoubtDueAt(
  task: Task,
  channel: Channel | undefined,
  settings: EngineSettings,
  now: number,
): number {
  if (channel === undefined || channel.submission.kind === "unkeyed") return task.endBy
  return now + toBackoffMs(settings, task.attempt)
}

/** When retention must visit a finished task after `now`; null: never again. */
export function nextRetentionAt(task: Task, settings: EngineSettings, now: number): number | null {
  const { inputsAt, expiryAt, removals } = toRetentionMoments(task, settings)
  const ahead = [inputsAt, expiryAt, ...removals].filter((at) => at > now)
  return ahead.length === 0 ? null : Math.min(...ahead)
}

/**
 * Whether a visit at `now` is for the task's bytes: its moment is that of a removal, or it is the last visit, which
 * makes up for removals that were missed.
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
