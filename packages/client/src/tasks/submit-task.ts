/**
 * Submits a task, repeating the request until its outcome is known. Every try has the same Idempotency-Key,
 * so that all of them make one task and nothing is bought twice.
 *
 *     sent -> 202 ------------------------------------------> the task
 *      ^  `-> lost, cut, 5xx: a task may exist -> unknown ----.
 *      |  `-> 429, 503 of the service: no task exists         |
 *      `--------------- a pause ------------------------------'
 *
 * After an unknown try no refusal of a later one settles the question. If the API key was revoked in
 * between, for example, the refusal says nothing about the task.
 */
import { ApiError, isApiError } from "../connection/api-error.ts"
import type { Task } from "../api/answers.ts"
import { isTask } from "../api/check-answers.ts"
import { TASKS_PATH } from "../api/paths.ts"
import type { Connection } from "../connection/connection.ts"
import { isUnsent } from "../connection/is-unsent.ts"
import { toCreationText, type Creation } from "./creation-text.ts"
import { toLabelHeader, type Labels } from "./labels.ts"

export interface SubmitOptions {
  /**
   * 1 to 255 printable ASCII characters; a new one by default. If you store a key of your own before you
   * submit, you can repeat the submission safely even after your process has died.
   */
  readonly idempotencyKey?: string | undefined
  /** Micro-units: a task that could be charged more is refused as `max_cost_exceeded`. */
  readonly maxCostMicros?: number | undefined
  /**
   * The `quote` of a quote: the task is charged by its prices and at most its `max_cost_micros`, or it is
   * refused as `quote_expired` or `max_cost_exceeded`.
   */
  readonly quote?: string | undefined
  /** To find the task by, and to add up what tasks cost: at most 10, keys of `a-z 0-9 _ . -`. */
  readonly labels?: Labels | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Rejects with `outcome_unknown` if a task may exist, and with the service's refusal if none does. The error
 * has the `idempotencyKey`.
 */
export async function submitTask(
  connection: Connection,
  creation: Creation,
  { idempotencyKey = createKey(), labels, maxCostMicros, quote, signal }: SubmitOptions,
): Promise<Task> {
  const key = checkKey(idempotencyKey)
  const headers = {
    "content-type": "application/json",
    "idempotency-key": key,
    ...toLabelHeader(labels),
    ...(maxCostMicros !== undefined && { "safelight-max-cost-micros": toMicros(maxCostMicros) }),
    ...(quote !== undefined && { "safelight-quote": checkQuote(quote) }),
  }
  const body = toCreationText(creation)
  const request = { method: "POST", path: TASKS_PATH, headers, body, signal } as const
  let isUnknown = false
  try {
    const attempt = async (): Promise<Task> => {
      try {
        return (await connection.ask(request, isTask)).value
      } catch (error) {
        isUnknown ||= isApiError(error) && mayHaveCreated(error)
        throw error
      }
    }
    return await connection.retry(attempt, { signal })
  } catch (error) {
    throw isApiError(error) ? toFailure(error, key, isUnknown) : error
  }
}

/** Browsers offer `crypto.randomUUID` on secure pages only. */
function createKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}

function checkKey(key: string): string {
  if (/^[ -~]{1,255}$/.test(key)) return key
  throw new TypeError("idempotencyKey: expected 1 to 255 printable ASCII characters")
}

function toMicros(micros: number): string {
  if (Number.isSafeInteger(micros) && micros >= 0) return String(micros)
  throw new TypeError("maxCostMicros: expected a whole number from 0 on")
}

function checkQuote(quote: string): string {
  if (/^[!-~]+$/.test(quote)) return quote
  throw new TypeError("quote: expected the quote of a quote")
}

/** A proxy's error says nothing about the service behind it. A 503 of the service itself does. */
function mayHaveCreated(error: ApiError): boolean {
  const { code, status, type } = error
  if (code === "no_answer") return !isUnsent(error)
  if (code === "outcome_unknown") return true
  // A redirect: browsers hide its status.
  if (status === undefined) return false
  const isRefusedByService = status === 503 && type !== "client_error"
  return status < 300 || (status >= 500 && !isRefusedByService)
}

function toFailure(error: ApiError, idempotencyKey: string, isUnknown: boolean): ApiError {
  const { code, type, message, status, param, details, requestId, retryAfterMs } = error
  const seen = { status, param, details, requestId, retryAfterMs, idempotencyKey }
  if (!isUnknown) {
    const { isRetryable, cause } = error
    return new ApiError({ ...seen, code, type, message, isRetryable, cause })
  }
  return new ApiError({
    ...seen,
    code: "outcome_unknown",
    type: "api_error",
    message:
      `whether a task was created is unknown, and it may be billed (${message}); ` +
      "the same submission with the same idempotencyKey makes no second task",
    isRetryable: true,
    cause: error,
  })
}
