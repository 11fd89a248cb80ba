/** An event applied to its task, as every reading of the log does. */
import { advance, type Task, type TaskEvent } from "@safelight/core"
import type { Finding } from "./finding.ts"

/** False, with its finding, if the event may not follow: nobody knows the task from there on. */
export function follow(
  task: Task,
  event: TaskEvent,
  version: number,
  find: (finding: Finding) => void,
): boolean {
  const { id, state } = task
  if (advance(task, event)) return true
  find({ kind: "event-illegal", task: id, version, expected: state, found: event.type })
  return false
}
