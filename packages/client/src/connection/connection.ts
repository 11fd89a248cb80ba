/**
 * The service as the rest of the client sees it: an answer has the shape that the task API promises, or the
 * call rejects with an `ApiError`. Reads are repeated as long as their errors are retryable.
 */
import { clientError, isApiError } from "./api-error.ts"
import type { CheckedOptions } from "./client-options.ts"
import { toRetryPauseMs } from "./pauses.ts"
import { parseJson, readText } from "./read-body.ts"
import { readRefusal } from "./read-refusal.ts"
import { readRetryAfterMs } from "./retry-after.ts"
import { sendRequest, type ApiAnswer, type ApiRequest } from "./send-request.ts"

export interface JsonAnswer<Value> {
  readonly value: Value
  readonly retryAfterMs: number | undefined
  /** Whether the service has kept to the request's `Prefer: wait`. */
  readonly hasWaited: boolean
}

/** Whether an answer has what the client relies on. Its other members are kept. */
export type Check<Value> = (value: unknown) => value is Value

export interface RetryOptions {
  readonly signal: AbortSignal | undefined
  /** `tries` of the settings by default. */
  readonly tries?: number
}

export interface Connection extends Pick<CheckedOptions, "clock" | "settings" | "random"> {
  /** One try. The caller reads the body of the 2xx answer, or cancels it. */
  open(request: ApiRequest): Promise<ApiAnswer>
  /** One try. */
  ask<Value>(request: ApiRequest, check: Check<Value>): Promise<JsonAnswer<Value>>
  /** Repeats `attempt`, which must be safe to repeat, after each retryable error. */
  retry<Value>(attempt: () => Promise<Value>, options: RetryOptions): Promise<Value>
  /** GETs JSON, with retries. */
  read<Value>(path: string, check: Check<Value>, options: RetryOptions): Promise<Value>
}

export function createConnection(options: CheckedOptions): Connection {
  const { clock, random, settings } = options

  async function open(request: ApiRequest): Promise<ApiAnswer> {
    const answer = await sendRequest(request, options)
    if (answer.status >= 200 && answer.status < 300) return answer
    throw await readRefusal(answer, clock.now(), request.signal)
  }

  async function ask<Value>(request: ApiRequest, check: Check<Value>): Promise<JsonAnswer<Value>> {
    const answer = await open(request)
    const { headers, status } = answer
    const value = parseJson(await readText(answer, settings.answerBytes))
    if (check(value)) {
      const hasWaited = headers.get("preference-applied")?.startsWith("wait=") === true
      return { value, retryAfterMs: readRetryAfterMs(headers, clock.now()), hasWaited }
    }
    throw clientError("invalid_answer", "the answer is not what the task API promises", {
      status,
      requestId: headers.get("x-request-id") ?? undefined,
      isRetryable: true,
    })
  }

  async function retry<Value>(
    attempt: () => Promise<Value>,
    { signal, tries = settings.tries }: RetryOptions,
  ): Promise<Value> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await attempt()
      } catch (error) {
        if (tried >= tries || !isApiError(error) || !error.isRetryable) throw error
        const { retryAfterMs } = error
        if (retryAfterMs !== undefined && retryAfterMs > settings.longestRetryAfterMs) throw error
        await clock.wait(toRetryPauseMs(tried, retryAfterMs, settings, random), signal)
      }
    }
  }

  return {
    clock,
    settings,
    random,
    open,
    ask,
    retry,
    async read(path, check, retrying) {
      const request = { method: "GET", path, signal: retrying.signal } as const
      const { value } = await retry(() => ask(request, check), retrying)
      return value
    },
  }
}
