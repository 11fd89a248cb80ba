/**
 * Cancels a task; the API, the operator and the engine all do it by this file. What a reader would get wrong: a
 * purchase that can't be stopped is not given up. Its task continues, and may succeed and be charged.
 *
 *   queued ─→ failed: nothing was bought                                               cancelled
 *   running ─the channel is asked─┬ stopped ─→ failed                                  stopped
 *                                 └ too late, or unknown: the task continues           too-late, unknown
 *   dispatching ─its answer is waited for─┬ running, queued: as above
 *                                         └ none comes: the task continues             unknown
 *   doubtful ─its outcome is waited for─┬ running, queued: as above
 *                                       └ none is found ─→ failed, with a log line     unknown
 *   by hand: any unfinished task ─→ failed                                             cancelled, unknown
 */
import {
  isTerminal,
  type AttemptCost,
  type Cancellation,
  type CancelOutcome,
  type StreamHead,
  type Task,
} from "@safelight/core"
import type { Recorded } from "./recorder.ts"
import { createLonePorts, type LonePorts, type ResolvePorts } from "./resolve-task.ts"

/** The steps that need a process with the task's channel. */
export interface Stopping {
  /** Whether the result is here already, and is being stored. */
  isCollecting(task: string): boolean
  /** Asks the channel of a running task to stop. Never rejects because of the channel. */
  stop(head: StreamHead): Promise<CancelOutcome>
  /** What stopped work cost upstream. */
  toCost(head: StreamHead): AttemptCost
  /** Waits for the outcome of a call; false if none is to be expected any more. */
  awaitNews(head: StreamHead): Promise<boolean>
  /** A purchase in doubt was given up. */
  report(head: StreamHead): void
}

/** Tries to record that work was stopped, some seconds in all: if they fail, the next poll finds it. */
const TRIES = 4

/**
 * Ends a task by hand in any state, without asking its channel: like the settling of a doubt it needs no engine. A
 * process that works on the task asks its channel to stop once it learns of the end. Undefined for an unknown
 * task. Rejects as `resolveTask` does.
 */
export async function cancelTask(
  ports: ResolvePorts,
  id: string,
): Promise<Cancellation | undefined> {
  return cancel(await createLonePorts(ports), id, undefined)
}

/** Undefined for an unknown task. Rejects if the storage fails. */
export async function cancel(
  ports: LonePorts,
  id: string,
  stopping: Stopping | undefined,
): Promise<Cancellation | undefined> {
  for (;;) {
    const head = await ports.storage.readTask(id)
    if (head === undefined) return undefined
    const cancellation = await tryOnce(ports, head, stopping)
    if (cancellation !== undefined) return cancellation
  }
}

/** Undefined if the task has changed meanwhile. */
async function tryOnce(
  ports: LonePorts,
  head: StreamHead,
  stopping: Stopping | undefined,
): Promise<Cancellation | undefined> {
  const { task } = head
  if (isTerminal(task)) return toEnd(task)
  if (stopping === undefined || task.state === "queued") return end(ports, head)
  if (stopping.isCollecting(task.id)) return { outcome: "too-late", task }
  if (task.state === "running") return stop(ports, head, stopping)
  if (await stopping.awaitNews(head)) return undefined
  // The process that made the call is still alive: its answer may bring a result that is paid for.
  if (task.state === "dispatching") return { outcome: "unknown", task }
  const ended = await end(ports, head)
  if (ended !== undefined) stopping.report(head)
  return ended
}

/** An intent: if the task is dispatched or adopted at this moment, the caller decides again. */
async function end({ recorder }: LonePorts, head: StreamHead): Promise<Cancellation | undefined> {
  const { attempt, state } = head.task
  const command = { kind: "fail", attempt, code: "task_cancelled" } as const
  const recorded = await recorder.recordIntent(head, command)
  if (recorded.kind === "refused") throw new TypeError(`a task that is ${state} took no end`)
  if (recorded.kind === "superseded") return undefined
  return { outcome: state === "queued" ? "cancelled" : "unknown", task: recorded.head.task }
}

/** A fact: once the channel has stopped the work, that is the task's end, unless its result came first. */
async function stop(
  { recorder, storage }: LonePorts,
  head: StreamHead,
  stopping: Stopping,
): Promise<Cancellation | undefined> {
  const { attempt, id } = head.task
  const outcome = await stopping.stop(head)
  if (outcome !== "stopped") {
    const task = (await storage.readTask(id))?.task
    return task?.state === "running" && task.attempt === attempt ? { outcome, task } : undefined
  }
  const cost = stopping.toCost(head)
  const command = { kind: "fail", attempt, code: "task_cancelled", cost } as const
  const recorded: Recorded = await recorder.recordFact(head, [command], { maxTries: TRIES })
  return recorded.kind === "recorded" ? toEnd(recorded.head.task) : undefined
}

/** By the log alone: the attempt may have been given up before the stop was recorded. */
function toEnd(task: Task): Cancellation {
  return { outcome: toOutcome(task), task }
}

/**
 * The outcome for a finished task, by its log: a failure that is no cancellation came before the cancellation. A
 * task that was ended by hand while it ran counts as stopped.
 */
function toOutcome({ deferral, dispatch, error, operation }: Task): Cancellation["outcome"] {
  if (error?.code !== "task_cancelled") return "too-late"
  if (dispatch === null || deferral !== null) return "cancelled"
  return operation === null ? "unknown" : "stopped"
}
