/**
 * The one place where something thrown becomes an answer and is logged: a fault of the caller is not
 * logged, one of the outside is a warning, and one of ours an error with its stack.
 */
import { isSafelightError, type Log } from "@safelight/core"
import { ERRORS } from "./error-table.ts"
import { toErrorResponse } from "./error-response.ts"
import { toRefusal } from "./outside-errors.ts"

/** The answer to whatever was thrown; never throws. */
export type AnswerError = (
  error: unknown,
  asked: {
    readonly requestId: string
    readonly method: string
    /** Of every answer to the request. */
    readonly headers?: Readonly<Record<string, string>>
  },
) => Response

/** `random` gives numbers from 0 up to 1. */
export function createAnswerError(log: Log, random: () => number): AnswerError {
  return (error, { headers, method, requestId }) => {
    const refusal = toRefusal(error, random)
    const [status] = ERRORS[refusal.code]
    if (status === 500) {
      log.error({ requestId, error: refusal.cause ?? refusal }, "request failed")
    } else if (status > 500 && isSafelightError(refusal.cause)) {
      log.warn({ requestId, error: refusal.cause }, "dependency failed")
    }
    return toErrorResponse(refusal, requestId, method, headers)
  }
}
