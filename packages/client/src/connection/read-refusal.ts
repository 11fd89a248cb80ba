/**
 * The error for an answer with an error status. A proxy may have answered instead of the service, with a
 * body of any kind and length: then the error tells the status alone.
 */
import { ApiError, clientError, type ParameterFault } from "./api-error.ts"
import { parseJson, readText } from "./read-body.ts"
import { readRetryAfterMs } from "./retry-after.ts"
import type { ApiAnswer } from "./send-request.ts"

/** The service's error bodies have a few hundred bytes, or a few thousand with many details. */
const MOST_BYTES = 65_536

/** Rejects only with the signal's reason. */
export async function readRefusal(
  answer: ApiAnswer,
  now: number,
  signal: AbortSignal | undefined,
): Promise<ApiError> {
  const { status, headers } = answer
  const text = await readText(answer, MOST_BYTES).catch(() => {
    signal?.throwIfAborted()
    return ""
  })
  const refusal = toRefusal(parseJson(text))
  const more = {
    status,
    requestId: headers.get("x-request-id") ?? undefined,
    retryAfterMs: readRetryAfterMs(headers, now),
    isRetryable: headers.get("x-should-retry") !== "false" && isPassing(status, refusal?.code),
  }
  if (refusal !== undefined) return new ApiError({ ...refusal, ...more })
  return clientError("unexpected_status", `the service's address answered ${status}`, more)
}

function isPassing(status: number, code: string | undefined): boolean {
  const isBusy = status === 409 && code === "idempotency_key_in_use"
  return isBusy || status === 408 || status === 429 || status >= 500
}

type Refusal = Pick<ApiError, "message" | "type" | "code" | "param" | "details">

/** The body of http-decisions §2; undefined for anything else. */
function toRefusal(body: unknown): Refusal | undefined {
  const { error } = (body ?? {}) as { readonly error?: Partial<Record<keyof Refusal, unknown>> }
  const { message, type, code, param, details } = error ?? {}
  if (!isText(message) || !isText(type) || !isText(code)) return undefined
  return {
    message,
    type,
    code,
    param: isText(param) ? param : undefined,
    details: Array.isArray(details) ? details.filter(isFault) : [],
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string"
}

function isFault(value: unknown): value is ParameterFault {
  const { param, code, message } = (value ?? {}) as Partial<Record<keyof ParameterFault, unknown>>
  return isText(param) && isText(code) && isText(message)
}
