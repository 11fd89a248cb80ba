/**
 * What happens to tasks, as it happens, for streams and webhooks. A reader keeps its own position and asks
 * for what came after it; being told that there is news is only a hint to ask again. So a reader that is
 * slow costs nothing, and one that was away misses nothing.
 */
import type { Task } from "../task/task.ts"
import type { TaskRequest } from "./task-service.ts"

/** Of one task at a time. A task has a few dozen events; a hundred of holds, and some had more. */
export const MOST_CHANGES = 100

/** Every method may reject as the storage does. */
export interface ChangeService {
  /**
   * What happened to one task after a version, oldest first, `MOST_CHANGES` at most: as many may be followed by
   * more. From the beginning after 0. Undefined for an unknown task.
   */
  listChanges(
    request: TaskRequest & { readonly after: number },
  ): Promise<readonly TaskChange[] | undefined>
  /**
   * Calls `onNews` soon after something has happened to the account's tasks, or to one of them, whichever
   * process did it, until `end` is called. Once this has resolved, `readChanges` from `position` finds all
   * that follows. Rejects with `overloaded` if the service is stopping.
   */
  watchChanges(request: WatchRequest): Promise<Watch>
  /**
   * What happened to the account's tasks after a position, in the order of commits. While they are watched in
   * this process: as far as watchers were told.
   */
  readChanges(request: ReadChangesRequest): Promise<ChangePage>
}

/** A task as one of its events left it. */
export interface TaskChange {
  readonly task: Task
  /** Of the event. */
  readonly version: number
  readonly type: string
  /** Milliseconds. */
  readonly at: number
}

/** A position in an account's feed. One from before a feed was begun anew, or forgotten, is lost. */
export interface ChangePosition {
  readonly feed: string
  readonly position: number
}

export interface WatchRequest {
  readonly account: string
  /** Only what happens to this one. */
  readonly task?: string
  readonly onNews: () => void
  /** The service stops: nothing more is told. */
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
      /** Where to go on; the position asked for if nothing came after it. */
      readonly next: ChangePosition
    }
  /** Something may be missing: whoever reads starts over from what the tasks are now, and from `position`. */
  | { readonly kind: "lost"; readonly position: ChangePosition }

export interface PositionedChange extends TaskChange {
  readonly position: ChangePosition
}
