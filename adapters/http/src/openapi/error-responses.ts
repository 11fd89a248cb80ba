/**
 * The error responses of an operation, from the codes that it may answer. Statuses, types and messages are
 * those of the one error table. A header that only some codes of a status carry is optional.
 */
import { ERRORS, type ErrorCode } from "../errors/error-table.ts"
import {
  JSON_HEADERS,
  RATE_HEADERS,
  toHeaders,
  type ResponseHeaderName,
} from "./response-headers.ts"

/** An answer of one status, as the document has it. */
export interface Response {
  readonly description: string
  readonly headers: Record<string, object>
  readonly content?: Record<string, object>
}

/** What the row of a code says under "also" (http-decisions §2). */
const CODE_HEADERS: Partial<Record<ErrorCode, readonly ResponseHeaderName[]>> = {
  method_not_allowed: ["Allow"],
  missing_api_key: ["WWW-Authenticate"],
  invalid_api_key: ["WWW-Authenticate"],
  api_key_revoked: ["WWW-Authenticate"],
  api_key_expired: ["WWW-Authenticate"],
  invalid_sign_in: ["WWW-Authenticate"],
  insufficient_scope: ["WWW-Authenticate"],
  unsupported_media_type: ["Accept"],
  unsupported_content_encoding: ["Accept-Encoding"],
  task_not_finished: ["Retry-After"],
  range_not_satisfiable: ["Content-Range", "Accept-Ranges"],
  idempotency_key_in_use: ["Retry-After"],
  rate_limit_exceeded: ["Retry-After", ...RATE_HEADERS],
  concurrency_limit_exceeded: ["Retry-After"],
  storage_unavailable: ["Retry-After"],
  service_unavailable: ["Retry-After"],
  outcome_unknown: ["X-Should-Retry"],
  overloaded: ["Retry-After"],
}

/** By status. */
export function toErrorResponses(codes: readonly ErrorCode[]): Record<string, Response> {
  const statuses = [...new Set(codes.map((code) => ERRORS[code][0]))].toSorted((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => ERRORS[code][0] === status)
      return [String(status), toErrorResponse(own)]
    }),
  )
}

/** The answer of one status, which `codes` share. */
export function toErrorResponse(codes: readonly ErrorCode[]): Response {
  const named = [...new Set(codes.flatMap((code) => CODE_HEADERS[code] ?? []))]
  const isShared = (name: ResponseHeaderName): boolean =>
    codes.every((code) => CODE_HEADERS[code]?.includes(name) ?? false)
  return {
    description: codes.map((code) => `- \`${code}\`: ${ERRORS[code][2]}`).join("\n"),
    headers: toHeaders({
      always: [...JSON_HEADERS, ...named.filter(isShared)],
      sometimes: named.filter((name) => !isShared(name)),
    }),
    content: { "application/json": { schema: toErrorSchema(codes), examples: toExamples(codes) } },
  }
}

/** The error body, its code one of these. */
function toErrorSchema(codes: readonly ErrorCode[]): object {
  const code = { enum: codes }
  const error = { type: "object", properties: { code } }
  return {
    allOf: [{ $ref: "#/components/schemas/Error" }, { type: "object", properties: { error } }],
  }
}

function toExamples(codes: readonly ErrorCode[]): object {
  return Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
}

/** An example of every code in the table, under its name. */
export function toErrorExamples(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(ERRORS).map(([code, [, type, message]]) => {
      const value = { error: { message, type, code, ...EXAMPLE_PARAMETERS[code] } }
      return [code, { summary: code, value }]
    }),
  )
}

const EXAMPLE_PARAMETERS: Readonly<Record<string, object>> = {
  model_not_found: { param: "model" },
  missing_required_parameter: { param: "parameters.prompt" },
  invalid_url: { param: "parameters.image_urls[0]" },
  integer_above_max_value: { param: "parameters.colors[1].g" },
}
