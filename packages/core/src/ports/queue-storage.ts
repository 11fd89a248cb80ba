/**
 * Who works on what: the queue of unfinished tasks, and the leases of the processes that work on them.
 * All of it is operational: of this, events hold no more than a lease's name. Errors are those of
 * `TaskStorage`.
 *
 * A worker lease is one boot of a process and its right to work on tasks. It lasts while its heartbeats
 * rise; others see if they stand still, each on its own monotonic clock, so no two clocks are ever
 * compared.
 */
import type { Pool, Turn } from "../values/fair-division.ts"
import type { ChannelTrouble } from "./channel-trouble.ts"
import type { StreamHead } from "./stream-head.ts"

export interface QueueStorage {
  /**
   * Takes up to `limit` tasks that nobody holds, of `models`, for `lease`: first due tasks, the earliest
   * first, then new tasks in the order of their start tags. Two callers never get the same task. If
   * others take at the same moment, or an account has few permits, there may be more tasks than it gets.
   */
  take(request: TakeRequest): Promise<readonly Taken[]>
  /**
   * Registers a lease that is not there, or renews it. Changes nothing if the lease has as many
   * heartbeats or more, so that twice is the same as once, and a late one undoes nothing. Resolves to the
   * tasks that are held under the lease, and to all leases.
   */
  heartbeat(request: HeartbeatRequest): Promise<Heartbeat>
  /** Every lease that is registered, and with 0 heartbeats any other one that tasks are held under. */
  listLeases(): Promise<readonly WorkerLease[]>
  /**
   * Ends a lease that has exactly so many heartbeats: everybody may take its tasks. A new task keeps its
   * start tag; any other one is due at its moment. False, and nothing is changed, if the count differs.
   */
  expire(lease: Pick<WorkerLease, "lease" | "heartbeats">): Promise<boolean>
  /**
   * Gives up those of `tasks` that `lease` holds, so that anybody may take them from `dueAt` on. A new task
   * keeps its start tag. A task that is not held stays as it is, so that twice is the same as once.
   */
  release(request: ReleaseRequest): Promise<void>
  /** The running tasks that each of these accounts is allowed; null for any number. */
  findRunningLimits(accounts: readonly string[]): Promise<ReadonlyMap<string, number | null>>
  /** Unfinished tasks whose `endBy` has come, the longest overdue first. */
  findOverdue(request: OverdueRequest): Promise<readonly StreamHead[]>
  /** Finished tasks that retention must look at: orphans, expiry, deletion. */
  findRetained(request: DueRequest): Promise<readonly StreamHead[]>
  /** Sets when retention looks at a task again; null: never. */
  retain(request: { readonly task: string; readonly dueAt: number | null }): Promise<void>
  /** What comes next of the tasks of `models` that nobody holds, and how many may be taken at `now`. */
  peekQueue(request: PeekRequest): Promise<QueuePeek>
  /** The virtual time: the highest start tag among the held tasks of `models`; null without one. */
  findStartedTag(request: Pick<PeekRequest, "models">): Promise<number | null>
  /** How long the queue is, by model, in the order of their names; none for a model without a task. */
  measureQueue(): Promise<readonly QueueMeasure[]>
  /**
   * Calls `listener` soon after another process has put a task into the queue, at most some tens of times
   * a second. A call may be missed, so that a queue must be looked at anyway. Absent if one process is all
   * there is. Returns how to stop.
   */
  onQueued?(listener: () => void): () => void
  /**
   * Asks the process that holds the task, whichever it is, to look at it soon. The request may be missed.
   * Absent if one process is all there is.
   */
  wakeHolder?(task: string): void
  /** Calls `listener` with each task for which another process called `wakeHolder`. Returns how to stop. */
  onHolderWoken?(listener: (task: string) => void): () => void
}

export type QueueChange =
  /** A new task. */
  | {
      readonly kind: "enqueue"
      readonly dueAt: number
      readonly endBy: number
      /** The lease that holds it at once. */
      readonly lease: string | null
      /**
       * Orders the new tasks, an integer: the lowest is taken first (design §2). Null for a due task.
       */
      readonly startTag: number | null
      /** The pool of the account's `runningTasks`; absent without such a limit. */
      readonly pool?: Pool
    }
  /** A due task from now on, whatever start tag it had. */
  | { readonly kind: "reschedule"; readonly dueAt: number; readonly lease: string | null }
  /** The task leaves the queue for good; retention looks at it at `retainAt` (null: never). */
  | { readonly kind: "finish"; readonly retainAt: number | null }

export interface TakeRequest {
  readonly lease: string
  readonly models: readonly string[]
  /**
   * How many new tasks of each account may be taken, from 0; any number if the account is not named.
   */
  readonly permits?: ReadonlyMap<string, number>
  /**
   * Only new tasks of whose pool this turn has a share (`toShare`), and those without a pool. Absent: all.
   */
  readonly turn?: Turn
  /** Due tasks alone. */
  readonly dueOnly?: boolean
  readonly now: number
  readonly limit: number
}

export interface Taken extends StreamHead {
  readonly lease: string
  /** The start tag of a new task; null for a due one. */
  readonly startTag: number | null
  /** How many tasks of its account may run at once; null for any number. */
  readonly runningLimit: number | null
}

/** What a process says of itself to the others, with each heartbeat. */
export interface LeaseFacts {
  /** The channels that it has, by name. */
  readonly channels: readonly string[]
  /** How long its lease holds without a heartbeat, ms. Absent if an older release writes it: 60,000. */
  readonly leaseMs?: number
  /** By channel, the models that it makes and this process knows. Absent if an older release writes it. */
  readonly models?: Readonly<Record<string, readonly string[]>>
  /** The channels among them that it does not ask for now, since they failed. */
  readonly leftAlone: readonly string[]
  /** What its channels need their operator for. Absent for nothing, or if an older release writes it. */
  readonly troubles?: readonly ChannelTrouble[]
  /** Whether any of them may be given a new task. */
  readonly isAble: boolean
  /** How many permits it uses beyond its share, by pool: the others leave as many unused. */
  readonly excess: Readonly<Record<string, number>>
  /** The leases among which it divides permits, as one text; empty before it has seen any. */
  readonly membership: string
  /** How often the leftover permits have moved on from lease to lease. */
  readonly round: number
  /** Absent if its host said nothing of it, or an older release writes it. */
  readonly node?: NodeFacts
  /**
   * When this was reported, ms, by the deployment's clock. For people: nothing is decided by it. Absent as `node` is.
   */
  readonly toldAt?: number
}

/** What a person knows a process by. */
export interface NodeFacts {
  /** The machine's name. */
  readonly host: string
  /** `all`, `worker`. */
  readonly role: string
  /** Milliseconds. */
  readonly startedAt: number
}

export interface WorkerLease {
  readonly lease: string
  /** How many there were; 0 for a lease that is not registered. */
  readonly heartbeats: number
  /** Absent for one that is not registered. */
  readonly facts?: LeaseFacts
}

export interface HeartbeatRequest {
  readonly lease: string
  /** At least 1, and higher each time. */
  readonly heartbeats: number
  readonly facts: LeaseFacts
}

export interface Heartbeat {
  /** The tasks that are held under the lease, in no order. */
  readonly held: readonly string[]
  /** As `listLeases` tells them, this one included. */
  readonly leases: readonly WorkerLease[]
}

export interface ReleaseRequest {
  readonly lease: string
  readonly tasks: readonly string[]
  readonly dueAt: number
  /** The tasks were dispatched and are to be dispatched again: new tasks again, and the first ones. */
  readonly startsAnew?: boolean
}

export interface PeekRequest {
  readonly models: readonly string[]
  readonly now: number
  /** `takeable` counts up to this many, at least 1. */
  readonly most: number
}

export interface QueuePeek {
  /** The earliest moment of the due tasks, also one to come; null without any. */
  readonly dueAt: number | null
  /** The lowest start tag of the new tasks that may be taken; null without any. */
  readonly startTag: number | null
  /** How many tasks may be taken now, counted up to `most`. */
  readonly takeable: number
}

export interface QueueMeasure {
  readonly model: string
  /** Tasks that nobody holds. */
  readonly waiting: number
  readonly held: number
  /** When the longest waiting one of those that nobody holds was submitted, or became due; null without any. */
  readonly oldestAt: number | null
}

export interface OverdueRequest extends DueRequest {
  /** A task that is held is left to its holder, unless its `endBy` was at this moment or before. */
  readonly heldUntil: number
}

export interface DueRequest {
  readonly now: number
  readonly limit: number
}
