/** Refusals in OpenAI's shape, which is that of the task API too: `message`, `type`, `param` and `code`. */
import { isApiError } from "@safelight/client"
import { answerJson, type Answer } from "./answer.ts"

export interface RefusalOptions {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly param?: string | undefined
  readonly type?: string
  /** Of the task API, where it is another. */
  readonly ours?: string | undefined
  readonly task?: string | undefined
  readonly retryAfterMs?: number | undefined
}

export class Refusal extends Error {
  override readonly name = "Refusal"
  readonly options: RefusalOptions

  constructor(options: RefusalOptions) {
    super(options.message)
    this.options = options
  }
}

/** Names that callers make up are told shortened, in the message too. */
export function invalid(param: string, code: string, message: string): Refusal {
  const told = shorten(param)
  return new Refusal({
    status: 400,
    code,
    param: told,
    message: message.replace(param, () => told),
  })
}

/** http-decisions §2: at most 100 characters of input. */
const MOST_TOLD = 100

export function shorten(name: string): string {
  return name.length > MOST_TOLD ? `${name.slice(0, MOST_TOLD)}…` : name
}

/** Rethrows what is neither a refusal nor the service's own. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (!isApiError(error)) throw error
  const { code, message, param, retryAfterMs, status, task, type } = error
  return new Refusal({
    // Without a refusal of the service nobody knows what became of the request.
    status: status !== undefined && status >= 400 ? status : 503,
    code,
    message,
    // The name that the caller gave it is not known here any more: the model's own is said.
    param: param?.replace(/^parameters\./, ""),
    type,
    ours: code,
    task: task?.task_id,
    retryAfterMs,
  })
}

export function answerRefusal(options: RefusalOptions): Answer {
  const { code, message, ours, param = null, retryAfterMs, status, task, type } = options
  const error = {
    message,
    type: type ?? "invalid_request_error",
    param,
    code,
    ...(ours !== undefined && { safelight_code: ours }),
    ...(task !== undefined && { safelight_task_id: task }),
  }
  const headers = {
    ...(task !== undefined && { "x-safelight-task-id": task }),
    ...(retryAfterMs !== undefined && { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) }),
  }
  return answerJson({ error }, { status, headers })
}
