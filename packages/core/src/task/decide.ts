/**
 * Decisions: a task, a command and the present moment make an event or a rejection. Pure; the
 * machine has the last word on legality, this file adds what needs a clock or the attempt count.
 */
import type { TaskCommand } from "./commands.ts"
import type { EventType, TaskEvent } from "./events.ts"
import { evolve } from "./evolve.ts"
import { toTaskFailure, type FailureCode } from "./failure.ts"
import type { Rejection } from "./rejection.ts"
import type { Task } from "./task.ts"

type FailCommand = Extract<TaskCommand, { kind: "fail" }>

export type Decision =
  | { readonly kind: "decided"; readonly event: TaskEvent; readonly task: Task }
  | { readonly kind: "rejected"; readonly rejection: Rejection }

/** Decides `command` on `task` at `now` (ms); `task` of the result is the task after the event. */
export function decide(task: Task, command: TaskCommand, now: number): Decision {
  const rejection = findObjection(task, command, now)
  if (rejection !== undefined) return { kind: "rejected", rejection }
  const event = toEvent(task, command, Math.max(now, task.updatedAt))
  const next = evolve(task, event)
  if (next !== task) return { kind: "decided", event, task: next }
  return {
    kind: "rejected",
    rejection: { code: "illegal-transition", state: task.state, event: event.type },
  }
}

/**
 * Whether nothing but its end may still be recorded for `task`: its `endBy` has passed, or it waits
 * for another attempt and has spent all it had. Only an attempt that a channel accepted is spent:
 * a provider that is away, or a repeat of a key, uses none up.
 */
export function isOverdue(task: Task, now: number): boolean {
  return now >= task.endBy || (task.state === "queued" && hasSpentAll(task))
}

function hasSpentAll({ maxAttempts, spentAttempts }: Task): boolean {
  return spentAttempts >= maxAttempts
}

/** When the last artifact's time has passed, ms; 0 for a task without artifacts. */
export function lastExpiryAt(task: Task): number {
  return task.artifacts.reduce((latest, artifact) => Math.max(latest, artifact.expiresAt), 0)
}

function findObjection(task: Task, command: TaskCommand, now: number): Rejection | undefined {
  switch (command.kind) {
    case "dispatch":
      return findDispatchObjection(task, now)
    case "doubt":
    case "progress":
      return findAttemptObjection(task, command)
    case "defer":
    case "fail":
      return (
        findAttemptObjection(task, command) ??
        findDispatcherObjection(task, command) ??
        findAnswerObjection(task, command)
      )
    case "accept":
      return findKeyObjection(task, command.upstreamKey)
    case "time-out":
      return isOverdue(task, now) ? undefined : { code: "not-due", dueAt: task.endBy }
    case "expire":
      return now >= lastExpiryAt(task) ? undefined : { code: "not-due", dueAt: lastExpiryAt(task) }
    case "hold":
      return findHoldObjection(task, now)
    case "submit":
    case "succeed":
      return undefined
  }
}

function findAttemptObjection(
  { attempt: current }: Task,
  { attempt }: { readonly attempt: number },
): Rejection | undefined {
  return attempt === current ? undefined : { code: "stale-attempt", attempt, current }
}

function findDispatcherObjection(
  { dispatch }: Task,
  { lease }: { readonly lease?: string | undefined },
): Rejection | undefined {
  if (lease === undefined || dispatch === null || dispatch.lease === lease) return undefined
  return { code: "stale-dispatch", lease, current: dispatch.lease }
}

/** If a provider says both that there is work and that there is none, the former counts. */
function findAnswerObjection(
  { operation, state }: Task,
  { isAnswer, kind }: Extract<TaskCommand, { kind: "defer" | "fail" }>,
): Rejection | undefined {
  if (isAnswer !== true || operation === null) return undefined
  return { code: "illegal-transition", state, event: kind === "defer" ? "deferred" : "failed" }
}

function findKeyObjection({ dispatch }: Task, upstreamKey: string): Rejection | undefined {
  // Before the first call the machine takes none.
  if (dispatch === null || dispatch.upstreamKey === upstreamKey) return undefined
  return { code: "stale-key", upstreamKey, current: dispatch.upstreamKey }
}

function findDispatchObjection(task: Task, now: number): Rejection | undefined {
  if (now >= task.endBy) return { code: "past-deadline", endBy: task.endBy }
  if (!hasSpentAll(task)) return undefined
  return { code: "attempts-exhausted", maxAttempts: task.maxAttempts }
}

function findHoldObjection(task: Task, now: number): Rejection | undefined {
  const expiredAt = lastExpiryAt(task)
  const isOver = task.state === "succeeded.available" && now >= expiredAt
  return isOver ? { code: "artifacts-expired", expiredAt } : undefined
}

function toEvent(task: Task, command: TaskCommand, at: number): TaskEvent {
  switch (command.kind) {
    case "submit":
      return toEventOf("submitted", at, command.submitted)
    case "dispatch":
      return toEventOf("dispatched", at, {
        attempt: task.attempt + 1,
        because: command.because,
        channel: command.channel,
        lease: command.lease,
        sendBefore: command.sendBefore,
        upstreamKey: command.upstreamKey,
      })
    case "accept":
      return toEventOf("accepted", at, { operation: command.operation })
    case "doubt":
      return toEventOf("doubted", at, { code: command.code })
    case "defer":
      return toEventOf("deferred", at, {
        cost: command.cost ?? "none",
        isRefusal: command.isRefusal ?? false,
        reason: command.reason,
        retryAt: command.retryAt,
      })
    case "progress":
      return toEventOf("progressed", at, { progress: command.progress })
    case "succeed":
      return toEventOf("succeeded", at, {
        artifacts: [...command.artifacts],
        chargeMicros: command.chargeMicros,
        cost: command.cost ?? "unknown",
        usage: command.usage,
      })
    case "fail":
      return failed(task, at, command)
    case "time-out":
      return failed(task, at, { code: toTimeOutCode(task) })
    case "hold":
      return toEventOf("held", at, { until: command.until })
    case "expire":
      return toEventOf("expired", at, { keys: task.artifacts.map(({ key }) => key) })
  }
}

/** What a client reads: nobody took the task, nobody knows, or it took too long. */
function toTimeOutCode({ state }: Task): FailureCode {
  if (state === "queued") return "provider_unavailable"
  // The caller of a dispatching task is gone with its answer.
  const isUnknown = state === "doubtful" || state === "dispatching"
  return isUnknown ? "upstream_outcome_unknown" : "generation_timeout"
}

function failed(
  { state }: Task,
  at: number,
  { billed, code, cost, message }: Pick<FailCommand, "billed" | "code" | "cost" | "message">,
): TaskEvent {
  return toEventOf("failed", at, {
    chargeMicros: billed?.chargeMicros ?? 0,
    // A queued task is proved to be with no channel.
    cost: cost ?? (state === "queued" ? "none" : "unknown"),
    error: toTaskFailure(code, message),
    usage: billed?.usage ?? null,
  })
}

function toEventOf<Type extends EventType>(
  type: Type,
  at: number,
  data: Extract<TaskEvent, { type: Type }>["data"],
): TaskEvent {
  return { type, at, data } as TaskEvent
}
