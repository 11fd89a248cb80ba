/**
 * A task as the specification shows it (§2.1), in the order of its table. The text is put together by hand,
 * since this is what clients poll for; a test holds it to `JSON.stringify`.
 */
import { toStatus, toUnixSeconds, type Task } from "@safelight/core"
import { createPublicPrefix, toTaskPath } from "../addresses.ts"

/** What GET shows of a task, for messages that show it too; `publicUrl` as a handler is given it. */
export function createTaskText(publicUrl: () => string): (task: Task) => string {
  const prefix = createPublicPrefix(publicUrl)
  return (task) => toTaskText(task, prefix())
}

/** JSON; times are whole seconds, floored. `prefix` precedes every path. */
export function toTaskText(task: Task, prefix: string): string {
  const path = `${prefix}${toTaskPath(task.id)}`
  return (
    `{"task_id":"${task.id}","model":${JSON.stringify(task.model)},"status":"${toStatus(task)}",` +
    `"progress":${task.progress},"created_at":${toUnixSeconds(task.createdAt)},` +
    `"finished_at":${toUnixSeconds(task.finishedAt)},"error":${toFailureText(task)},` +
    `"links":{"self":"${path}","artifacts":"${path}/artifacts"}}`
  )
}

function toFailureText({ error }: Task): string {
  if (error === null) return "null"
  const { message, type, code } = error
  return JSON.stringify({ message, type, code })
}
