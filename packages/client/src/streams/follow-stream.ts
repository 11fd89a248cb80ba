/**
 * Follows a stream over as many connections as it takes. Each continues after the last message that came, so
 * none is missed and none comes twice; if the service can't promise that, a `reset` says so.
 *
 *     connecting ──▶ messages ──▶ connection ended, broken or silent ──▶ a pause ──▶ connecting
 *         └─▶ 204: nothing will ever follow
 */
import { clientError, isApiError } from "../connection/api-error.ts"
import type { Task } from "../api/answers.ts"
import { isTask } from "../api/check-answers.ts"
import type { Connection } from "../connection/connection.ts"
import { parseJson } from "../connection/read-body.ts"
import type { ApiAnswer } from "../connection/send-request.ts"
import { readEvents, type ServerEvent } from "./read-events.ts"

/** Something that happened to a task; `data` is the task as that left it. */
export interface TaskMessage {
  /** Pass it as `after` to continue after this message, even in another process. */
  readonly id: string
  /** `task.submitted`, `task.dispatched`, `task.progressed`, `task.succeeded`, `task.failed`, … */
  readonly type: string
  /** ISO 8601. */
  readonly timestamp: string
  readonly data: Task
}

/** Messages may be missing before this one: look at what the tasks are now. */
export interface ResetMessage {
  readonly id: string
  readonly type: "reset"
}

export interface StreamOptions {
  /** The `id` of the last message that was received; without it the stream begins now. */
  readonly after?: string | undefined
  /** Ends the stream, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

const DEFAULT_PAUSE_MS = 2_000

/** `isLast` is true of a message behind which nothing follows. */
export async function* followStream(
  connection: Connection,
  path: string,
  { after, signal }: StreamOptions,
  isLast: (message: TaskMessage | ResetMessage) => boolean = () => false,
): AsyncGenerator<TaskMessage | ResetMessage, void, undefined> {
  const { clock, settings } = connection
  let last = after
  let pauseMs = DEFAULT_PAUSE_MS
  for (;;) {
    const answer = await openStream(connection, path, last, signal)
    if (answer === undefined) return
    try {
      const events = readEvents(answer.pieces(), settings.answerBytes, (ms) => (pauseMs = ms))
      for await (const event of events) {
        last = event.id || last
        if (event.event === "ready") continue
        const message = toMessage(event)
        yield message
        if (isLast(message)) return
      }
    } catch (error) {
      if (!isApiError(error) || !error.isRetryable) throw error
    }
    await clock.wait(pauseMs, signal)
  }
}

/** Undefined if nothing will ever follow. */
async function openStream(
  connection: Connection,
  path: string,
  last: string | undefined,
  signal: AbortSignal | undefined,
): Promise<ApiAnswer | undefined> {
  const position = last === undefined ? {} : { "last-event-id": last }
  const headers = { accept: "text/event-stream", ...position }
  const answer = await connection.retry(
    () => connection.open({ method: "GET", path, headers, signal }),
    { signal, tries: connection.settings.pollTries },
  )
  if (answer.headers.get("content-type")?.startsWith("text/event-stream") === true) return answer
  answer.cancel()
  if (answer.status === 204) return undefined
  throw clientError("invalid_answer", "the answer is no stream", { status: answer.status })
}

function toMessage({ id, event, data }: ServerEvent): TaskMessage | ResetMessage {
  if (event === "reset") return { id, type: event }
  const message = parseJson(data) as Partial<TaskMessage> | undefined
  const { type, timestamp, data: task } = message ?? {}
  if (typeof type === "string" && typeof timestamp === "string" && isTask(task)) {
    return { id, type, timestamp, data: task }
  }
  throw clientError("invalid_answer", "an event of the stream is not what the task API promises")
}
