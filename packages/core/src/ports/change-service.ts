/**
 * What happens to tasks, as it happens, for streams and webhooks. A reader keeps its own position and asks
 * for what came after it; a notice of news is only a hint to ask again. So a reader that is
 * slow costs nothing, and one that was away misses nothing.
 */
import { GENESIS_HASH, toHashDigits } from "../task/stored-event.ts"
import type { StreamHead } from "./stream-head.ts"
import type { TaskRequest } from "./task-service.ts"

/** Of one task at a time. A task has a few dozen events; a hundred of holds, and some had more. */
export const MOST_CHANGES = 100

/** Every method may reject as the storage does. */
export interface ChangeService {
  /**
   * What happened to one task after an event, oldest first, `MOST_CHANGES` at most: as many may be followed by
   * more. From the beginning after `TASK_BEGIN`. Undefined for an unknown task.
   */
  listChanges(
    request: TaskRequest & { readonly after: EventPlace },
  ): Promise<TaskChanges | undefined>
  /**
   * The task as the event with this version left it, with the event's hash. Undefined for an unknown task, and
   * for a version that it doesn't have.
   */
  findTaskAt(request: TaskRequest & { readonly version: number }): Promise<StreamHead | undefined>
  /**
   * Calls `onNews` soon after something has happened to the account's tasks, or to one of them, whichever
   * process did it, until `end` is called. Once this has resolved, `readChanges` from `position` finds all
   * that follows. Rejects with `overloaded` if the service is stopping.
   */
  watchChanges(request: WatchRequest): Promise<Watch>
  /**
   * What happened to the account's tasks after a position, in the order of commits. While they are watched in
   * this process: as far as watchers were notified.
   */
  readChanges(request: ReadChangesRequest): Promise<ChangePage>
}

/** A task as one of its events left it, with that event's hash. */
export interface TaskChange extends StreamHead {
  /** Of the event. */
  readonly version: number
  readonly type: string
  /** Milliseconds. */
  readonly at: number
}

/** An event of one task. If another event has its version by now, the place is lost. */
export interface EventPlace {
  readonly version: number
  /** `toHashDigits` of the event: a database that went back in time gives its version again. */
  readonly digits: string
}

/** Before a task's first event. */
export const TASK_BEGIN: EventPlace = { version: 0, digits: toHashDigits(GENESIS_HASH) }

export type TaskChanges =
  | { readonly kind: "changes"; readonly changes: readonly TaskChange[] }
  /** Another event has the reader's position: the reader starts over from the beginning. */
  | { readonly kind: "lost" }

/**
 * A position in an account's feed. One from before a feed was begun again, or forgotten, is lost, and so is one
 * at which another event stands by now.
 */
export interface ChangePosition {
  readonly feed: string
  readonly position: number
  /** As of an `EventPlace`: of the event at the position; zeros before the first. */
  readonly digits: string
}

export interface WatchRequest {
  readonly account: string
  /** Only what happens to this one. */
  readonly task?: string
  readonly onNews: () => void
  /** The service stops: nothing more follows. */
  readonly onEnd: () => void
}

export interface Watch {
  readonly position: ChangePosition
  /** Safe to call twice. */
  readonly end: () => void
}

export interface ReadChangesRequest {
  readonly account: string
  readonly after: ChangePosition
}

export type ChangePage =
  | {
      readonly kind: "changes"
      readonly changes: readonly PositionedChange[]
      /** Where to continue; the position asked for if nothing came after it. */
      readonly next: ChangePosition
    }
  /** Something may be missing: the reader starts over from what the tasks are now, and from `position`. */
  | { readonly kind: "lost"; readonly position: ChangePosition }

export interface PositionedChange extends TaskChange {
  readonly position: ChangePosition
}
