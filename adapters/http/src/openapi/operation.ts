/**
 * One operation of the document, put together. Whatever a request can meet before its resource is
 * asked (a broken request, a late one, one too large) is added to every operation here, and what
 * comes of a missing or insufficient key to those that need one.
 */
import type { ApiKeyScope } from "@safelight/core"
import { ERRORS, type ErrorCode } from "../errors/error-table.ts"
import { toErrorResponses } from "./error-responses.ts"
import { JSON_HEADERS, RATE_HEADERS, toHeaders, type HeaderList } from "./response-headers.ts"
import type { ResponseSchemaName } from "./response-schemas.ts"

export interface Response {
  readonly description: string
  readonly headers: Record<string, object>
  readonly content?: Record<string, object>
}

export interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly description: string
  readonly schema: object
}

export interface OperationOptions {
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** All of them are needed; absent where no key is. */
  readonly scopes?: readonly ApiKeyScope[]
  /** Whether something else may stand in for the key. */
  readonly isKeyOptional?: boolean
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: object
  /** What succeeds, by status. */
  readonly answers: Record<string, Response>
  /** What is refused besides the codes common to all. */
  readonly refusals?: readonly ErrorCode[]
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly object[]
  readonly parameters: readonly Parameter[]
  readonly requestBody?: object
  readonly responses: Record<string, Response>
}

/** Refused by the server, before a resource is asked. */
export const SERVER_CODES: readonly ErrorCode[] = [
  "malformed_request",
  "request_timeout",
  "uri_too_long",
  "headers_too_large",
]

const KEY_CODES: readonly ErrorCode[] = [
  "missing_api_key",
  "invalid_api_key",
  "api_key_revoked",
  "api_key_expired",
  "account_suspended",
  "insufficient_scope",
  "rate_limit_exceeded",
  // Too many new keys are looked up.
  "overloaded",
  // Keys and tasks are read from a database.
  "internal_error",
  "service_unavailable",
]

/** Told before anything is counted against a rate. */
const UNCOUNTED_CODES: readonly ErrorCode[] = [
  ...SERVER_CODES,
  "missing_api_key",
  "invalid_api_key",
  "api_key_revoked",
  "api_key_expired",
  "account_suspended",
  "insufficient_scope",
]

export const SECURITY_SCHEME = "apiKey"

export function toOperation(options: OperationOptions): Operation {
  const { id, tag, scopes, summary, description, parameters = [], requestBody } = options
  const codes = [
    ...SERVER_CODES,
    ...(scopes === undefined ? [] : KEY_CODES),
    ...(options.refusals ?? []),
  ]
  const responses = { ...options.answers, ...toErrorResponses(codes) }
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: toSecurity(options),
    parameters,
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: scopes === undefined ? responses : withRates(responses, codes),
  }
}

/** Rate headers on all that an account with a rate can be answered once it was counted. */
function withRates(
  responses: Record<string, Response>,
  codes: readonly ErrorCode[],
): Record<string, Response> {
  const early = codes.filter((code) => UNCOUNTED_CODES.includes(code))
  const late = new Set(codes.filter((code) => !early.includes(code)).map((code) => ERRORS[code][0]))
  const uncounted = early.map((code) => ERRORS[code][0]).filter((status) => !late.has(status))
  const rates = toHeaders({ always: [], sometimes: RATE_HEADERS })
  const entries = Object.entries(responses).map(([status, response]) => {
    if (uncounted.some((each) => String(each) === status)) return [status, response]
    return [status, { ...response, headers: { ...rates, ...response.headers } }]
  })
  return Object.fromEntries(entries) as Record<string, Response>
}

/** Each is a way in; an empty one says that there is one without a key. */
function toSecurity({ scopes, isKeyOptional = false }: OperationOptions): readonly object[] {
  if (scopes === undefined) return []
  return [{ [SECURITY_SCHEME]: scopes }, ...(isKeyOptional ? [{}] : [])]
}

/** A JSON answer, its body one of the named schemas. */
export function toJsonAnswer(
  description: string,
  schema: ResponseSchemaName,
  headers: Partial<HeaderList> = {},
): Response {
  return {
    description,
    headers: toHeaders({ ...headers, always: [...JSON_HEADERS, ...(headers.always ?? [])] }),
    content: {
      "application/json": {
        schema: { $ref: `#/components/schemas/${schema}` },
        examples: { [schema]: { $ref: `#/components/examples/${schema}` } },
      },
    },
  }
}

/** A range counts for GET alone (RFC 9110 §14.2). */
const RANGE_STATUSES = ["206", "416"]
const RANGE_HEADERS = ["Range", "If-Range"]

/** GET and, beside it, HEAD: the same answers without their bodies. */
export function withHead(options: OperationOptions): { get: Operation; head: Operation } {
  const get = toOperation(options)
  const answers = Object.entries(get.responses).filter(
    ([status]) => !RANGE_STATUSES.includes(status),
  )
  const responses = answers.map(([status, { description, headers }]) => [
    status,
    { description, headers },
  ])
  const head: Operation = {
    ...get,
    operationId: `${options.id}Head`,
    summary: `${options.summary}: the headers alone`,
    parameters: get.parameters.filter(({ name }) => !RANGE_HEADERS.includes(name)),
    responses: Object.fromEntries(responses) as Record<string, Response>,
  }
  return { get, head }
}
