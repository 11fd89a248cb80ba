/**
 * The answer to a refused request: the error body of http-decisions §2, built in one place. HEAD gets the
 * same headers, so it states the length of the body that it leaves out.
 */
import { jsonResponse } from "../pipeline/json-response.ts"
import { ERRORS } from "./error-table.ts"
import type { Refusal, RefusedParameter } from "./refusal.ts"

export const MAX_DETAILS = 20

/** `{"error":{"message","type","code"}}`, with `param` or `details` if parameters are wrong. */
export function toErrorText(refusal: Refusal): string {
  const [, type, words] = ERRORS[refusal.code]
  const message = refusal.words ?? words
  return JSON.stringify({
    error: { message, type, code: refusal.code, ...toParameters(refusal.issues) },
  })
}

export function toErrorResponse(
  refusal: Refusal,
  requestId: string,
  method: string,
  moreHeaders?: Readonly<Record<string, string>>,
): Response {
  const [status] = ERRORS[refusal.code]
  const text = toErrorText(refusal)
  const { headers } = refusal
  return jsonResponse({ status, text, requestId, method, headers, moreHeaders })
}

function toParameters(issues: readonly RefusedParameter[]): object {
  const [only] = issues
  if (only === undefined) return {}
  if (issues.length === 1) return { param: only.param }
  const details = issues
    .slice(0, MAX_DETAILS)
    .map(({ param, code, message }) => ({ param, code, message }))
  return { details }
}
