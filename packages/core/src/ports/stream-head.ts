/** Where a task stands, as storages hand it out. */
import type { Task } from "../task/task.ts"

/**
 * A task with the hash of its newest event: what the next append builds on. Where another release wrote
 * its row, `task.projection` is not `PROJECTION`: whoever goes by the task folds its events anew.
 */
export interface StreamHead {
  readonly task: Task
  readonly hash: string
}
