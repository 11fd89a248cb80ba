/** A task as storages return it. */
import type { Task } from "../task/task.ts"

/**
 * A task with the hash of its newest event, on which the next append builds. If another release wrote
 * its row, `task.projection` is not `PROJECTION`: then its events have to be folded again.
 */
export interface StreamHead {
  readonly task: Task
  readonly hash: string
}
