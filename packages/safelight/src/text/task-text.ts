/** A task in one line for people: facts alone, nothing that a person or a model wrote. */
import { formatCount } from "./count.ts"
import { formatOneLine } from "./one-line.ts"
import type { Task } from "@safelight/client"

export function formatTask(task: Task): string {
  const line = `${task.task_id}  ${task.status}  ${task.progress}%  ${task.model}`
  return formatOneLine(line)
}

/** For a failed task. */
export function formatTaskFailure({ error }: Task): string {
  return formatOneLine(error === null ? "failed" : `failed: ${error.message} (${error.code})`)
}

/** `2 tasks`. */
export function formatTaskCount(count: number): string {
  return formatCount(count, "task")
}
