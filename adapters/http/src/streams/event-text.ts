/**
 * A change of a task as the JSON that streams and webhooks carry, and as a server-sent event (WHATWG HTML
 * §9.2). JSON has no line breaks, so each event is one `data` line.
 */
import type { TaskChange } from "@safelight/core"
import { toTaskText } from "../bodies/task.ts"

/** What changes are called: `task.succeeded`. */
export function toChangeType({ type }: Pick<TaskChange, "type">): string {
  return `task.${type}`
}

/** JSON in the form of Standard Webhooks: `type`, `timestamp` (ISO 8601), and the task as `data`. */
export function toChangeText(change: TaskChange, prefix: string): string {
  const timestamp = new Date(change.at).toISOString()
  const data = toTaskText(change.task, prefix)
  return `{"type":"${toChangeType(change)}","timestamp":"${timestamp}","data":${data}}`
}

export interface ServerSentEvent {
  readonly id: string
  readonly event: string
  /** One line. */
  readonly data: string
}

export function toEventText({ id, event, data }: ServerSentEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`
}

/** What is said of the stream itself: where it begins, or that the client must start over. */
export function toNotice(event: "ready" | "reset", id: string): string {
  return toEventText({ id, event, data: "{}" })
}

/** A comment, which clients ignore: it shows both sides that the connection stands. */
export const BEAT_TEXT = ":\n\n"

/** How long a client waits before it connects again, ms. */
export const RETRY_TEXT = "retry: 2000\n\n"
