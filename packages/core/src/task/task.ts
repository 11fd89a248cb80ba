/**
 * A task: its events, folded. Plain data; the task that `evolve` or `fold` returns is frozen, and its
 * parts are those of the events, which nobody changes. `attempt` > 0 marks a task that a channel was
 * asked for once, and its public status then never returns to `queued`.
 */
import type { Json } from "../values/canonical-json.ts"
import type { ManifestEntry, Usage } from "./events.ts"
import type { TaskFailure } from "./failure.ts"

export type TaskState =
  | "nothing"
  | "queued"
  | "dispatching"
  | "doubtful"
  | "running"
  | "succeeded.available"
  | "succeeded.expired"
  | "failed"

export type TaskStatus = "queued" | "running" | "succeeded" | "failed"

/** The latest `dispatched`: who was asked, by whom, under which key. */
export interface Dispatch {
  readonly because: string
  readonly channel: string
  /** When `upstreamKey` was first sent: a keyed channel honours it from here (design §5). */
  readonly keyedAt: number
  /** The worker lease under which the channel was asked. */
  readonly lease: string
  /** The call was sent before this moment, or not at all. */
  readonly sendBefore: number
  readonly upstreamKey: string
}

/**
 * The projection that this release makes of a task. It rises with every change by which the same events
 * make another `Task`: a snapshot of another projection is not read, and its task is folded again.
 */
export const PROJECTION = 1

export interface Deferral {
  readonly reason: string
  readonly retryAt: number
}

export interface Task {
  readonly account: string
  readonly artifacts: readonly ManifestEntry[]
  readonly attempt: number
  readonly chargeMicros: number
  readonly commitment: string
  readonly createdAt: number
  readonly deferral: Deferral | null
  /** Digest of the definition of its model; absent if no file of JSON defines the model. */
  readonly definition?: string
  readonly dispatch: Dispatch | null
  readonly doubt: string | null
  readonly endBy: number
  readonly error: TaskFailure | null
  /** 0 while unfinished. */
  readonly finishedAt: number
  readonly id: string
  readonly maxAttempts: number
  readonly model: string
  readonly operation: Json
  readonly parameters: Readonly<Record<string, string | number | boolean>>
  readonly priceVersion: string
  readonly progress: number
  /** `PROJECTION` of the release that folded it. */
  readonly projection: number
  /** Channels that refused the task and are not asked again; absent while there is none. */
  readonly refusedBy?: readonly string[]
  readonly reservationMicros: number
  /** Attempts that a channel accepted and that were deferred; there are `maxAttempts` of them at most. */
  readonly spentAttempts: number
  readonly state: TaskState
  readonly updatedAt: number
  readonly usage: Usage | null
  readonly version: number
}

/** A task before its first event. */
export function emptyTask(id: string): Task {
  return {
    account: "",
    artifacts: [],
    attempt: 0,
    chargeMicros: 0,
    commitment: "",
    createdAt: 0,
    deferral: null,
    dispatch: null,
    doubt: null,
    endBy: 0,
    error: null,
    finishedAt: 0,
    id,
    maxAttempts: 0,
    model: "",
    operation: null,
    parameters: {},
    priceVersion: "",
    progress: 0,
    projection: PROJECTION,
    reservationMicros: 0,
    spentAttempts: 0,
    state: "nothing",
    updatedAt: 0,
    usage: null,
    version: 0,
  }
}

/** `succeeded` and `failed` are final; polling stops there (http-decisions §3). */
export function isTerminal({ state }: Task): boolean {
  return state === "failed" || state === "succeeded.available" || state === "succeeded.expired"
}

/** The public status of design §3: `queued` until first dispatched, then `running` for good. */
export function toStatus(task: Task): TaskStatus {
  if (task.state === "failed") return "failed"
  if (isTerminal(task)) return "succeeded"
  return task.attempt === 0 ? "queued" : "running"
}
