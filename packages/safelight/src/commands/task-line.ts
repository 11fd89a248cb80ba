/** A task in one line for people: facts alone, nothing that a person or a model wrote. */
import { toOneLine } from "../failure-line.ts"
import type { Task } from "@safelight/client"

export function toTaskLine(task: Task): string {
  const line = `${task.task_id}  ${task.status}  ${task.progress}%  ${task.model}`
  return toOneLine(line)
}

/** For a failed task. */
export function toFailureLine({ error }: Task): string {
  return toOneLine(error === null ? "failed" : `failed: ${error.message} (${error.code})`)
}
