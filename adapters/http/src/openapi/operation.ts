/**
 * One operation of the document, made from an endpoint's declaration. The refusals that a request can meet
 * before its endpoint is asked (malformed, too late, too large) are added to every operation here, and
 * those for a missing or insufficient key to every operation that needs one.
 */
import type { Model } from "@safelight/core"
import { getMetadata } from "valibot"
import type { Body } from "../bodies/body.ts"
import type { KeyNeed } from "../access/check-access.ts"
import type { About, AnswerDeclaration, Endpoint, PathHeaders } from "../pipeline/endpoint.ts"
import { ERRORS, type ErrorCode } from "../errors/error-table.ts"
import { listQueryRefusals } from "../request/query-parameters.ts"
import { toErrorResponses, type Response } from "./error-responses.ts"
import {
  JSON_HEADERS,
  RATE_HEADERS,
  toHeaders,
  type ResponseHeaderName,
} from "./response-headers.ts"

export interface DescribedParameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly required: boolean
  readonly description: string
  readonly schema: object
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly object[]
  readonly parameters: readonly DescribedParameter[]
  readonly requestBody?: object
  readonly responses: Record<string, Response>
}

/** Refused by the server, before a resource is asked. */
const SERVER_CODES: readonly ErrorCode[] = [
  "malformed_request",
  "request_timeout",
  "uri_too_long",
  "headers_too_large",
]

/** A request that is refused so has not been counted against a rate. */
const UNAUTHORIZED_CODES: readonly ErrorCode[] = [
  "missing_api_key",
  "invalid_api_key",
  "api_key_revoked",
  "api_key_expired",
  "account_suspended",
  "insufficient_scope",
]

const KEY_CODES: readonly ErrorCode[] = [
  ...UNAUTHORIZED_CODES,
  "rate_limit_exceeded",
  // Too many new keys are looked up.
  "overloaded",
  // Keys and tasks are read from a database.
  "internal_error",
  "service_unavailable",
]

export const SECURITY_SCHEME = "apiKey"

/** The operations of an endpoint, by method: GET comes with HEAD. */
export function toOperations(
  endpoint: Endpoint,
  about: About,
  models: readonly Model[],
): Record<string, Operation> {
  const operation = toOperation(endpoint, about, models)
  if (endpoint.method !== "GET") return { [endpoint.method.toLowerCase()]: operation }
  return { get: operation, head: toHead(operation) }
}

function toOperation(endpoint: Endpoint, about: About, models: readonly Model[]): Operation {
  const { key, answers, pathHeaders } = endpoint
  const { id, tag, summary, description } = about
  const codes = listCodes(endpoint)
  const plain = { ...toResponses(answers), ...toErrorResponses(codes) }
  const counted = key === undefined ? plain : withHeaders(plain, RATE_HEADERS, toIsCounted(codes))
  const requestBody = endpoint.body?.describe?.(models)
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    security: toSecurity(key),
    parameters: listParameters(endpoint),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: withPathHeaders(counted, pathHeaders),
  }
}

/** All that an endpoint may refuse with, its own, its parameters' and its body's. */
function listCodes({ key, body, query, headers, refusals }: Endpoint): readonly ErrorCode[] {
  const codes = [
    ...new Set([
      ...SERVER_CODES,
      ...(key === undefined ? [] : KEY_CODES),
      ...(body?.refusals ?? []),
      ...(query === undefined ? [] : listQueryRefusals(query)),
      ...refusals,
      ...Object.values(headers ?? {}).flatMap((header) => header.refusals),
    ]),
  ]
  return key?.scopes.length === 0 ? codes.filter((code) => code !== "insufficient_scope") : codes
}

function listParameters({ inPath, key, query, headers }: Endpoint): readonly DescribedParameter[] {
  const opener = key?.unless
  return [
    ...Object.values(inPath ?? {}).map(({ name, description, schema }) => {
      return { name, in: "path", required: true, description, schema } as const
    }),
    ...(opener === undefined ? [] : toParameters("query", { [opener.name]: toText(opener) })),
    ...toParameters("query", query ?? {}),
    ...toParameters("header", headers ?? {}),
  ]
}

interface Described extends Pick<DescribedParameter, "description" | "schema"> {
  readonly isRequired?: true
}

function toText({ description }: Pick<Described, "description">): Described {
  return { description, schema: { type: "string" } }
}

function toParameters(
  place: "header" | "query",
  parameters: Readonly<Record<string, Described>>,
): readonly DescribedParameter[] {
  return Object.entries(parameters).map(([name, { description, isRequired, schema }]) => {
    return { name, in: place, required: isRequired === true, description, schema }
  })
}

function toResponses(answers: Endpoint["answers"]): Record<string, Response> {
  return mapValues(answers, toResponse)
}

function toResponse(answer: AnswerDeclaration): Response {
  const { description, json, types, always = [], sometimes = [] } = answer
  const headers = { always: json === undefined ? always : [...JSON_HEADERS, ...always], sometimes }
  const content = json === undefined ? types && toBytes(types) : toJsonContent(json)
  return { description, headers: toHeaders(headers), ...(content && { content }) }
}

/** OpenAPI 3.1 describes bytes by the absence of a schema. */
function toBytes(types: readonly string[]): Record<string, object> {
  return Object.fromEntries(types.map((type) => [type, {}]))
}

function toJsonContent(body: Body): Record<string, object> {
  const { name } = getMetadata(body)
  const examples = { [name]: { $ref: `#/components/examples/${name}` } }
  const shape = { $ref: `#/components/schemas/${name}` }
  return { "application/json": { schema: shape, examples } }
}

function withPathHeaders(
  responses: Record<string, Response>,
  pathHeaders: PathHeaders | undefined,
): Record<string, Response> {
  if (pathHeaders === undefined) return responses
  const { names, on } = pathHeaders.described
  return withHeaders(responses, names, (status) => on.includes(status))
}

/** Whether a status is also answered to requests that were counted against a rate. */
function toIsCounted(codes: readonly ErrorCode[]): (status: number) => boolean {
  const uncounted = new Set([...SERVER_CODES, ...UNAUTHORIZED_CODES])
  const refused = new Set(codes.map(toStatus))
  const counted = new Set(codes.filter((code) => !uncounted.has(code)).map(toStatus))
  return (status) => counted.has(status) || !refused.has(status)
}

function toStatus(code: ErrorCode): number {
  return ERRORS[code][0]
}

/** With `names` among the headers of some answers of each status that `isOn` holds of. */
function withHeaders(
  responses: Record<string, Response>,
  names: readonly ResponseHeaderName[],
  isOn: (status: number) => boolean,
): Record<string, Response> {
  const more = toHeaders({ always: [], sometimes: names })
  const add = (response: Response): Response => {
    return { ...response, headers: { ...more, ...response.headers } }
  }
  return mapValues(responses, (response, status) =>
    isOn(Number(status)) ? add(response) : response,
  )
}

/** Each is a way in; an empty one is a way in without a key. */
function toSecurity(key: KeyNeed | undefined): readonly object[] {
  if (key === undefined) return []
  return [{ [SECURITY_SCHEME]: key.scopes }, ...(key.unless === undefined ? [] : [{}])]
}

/** A range counts for GET alone (RFC 9110 §14.2). */
const RANGE_STATUSES = ["206", "416"]
const RANGE_HEADERS = ["Range", "If-Range"]

/** The same answers without their bodies. */
function toHead(get: Operation): Operation {
  const answers = Object.entries(get.responses).filter(
    ([status]) => !RANGE_STATUSES.includes(status),
  )
  return {
    ...get,
    operationId: `${get.operationId}Head`,
    summary: `${get.summary}: the headers alone`,
    parameters: get.parameters.filter(({ name }) => !RANGE_HEADERS.includes(name)),
    responses: mapValues(Object.fromEntries(answers), ({ description, headers }) => {
      return { description, headers }
    }),
  }
}

function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value, name: string) => Result,
): Record<string, Result> {
  const entries = Object.entries(values)
  return Object.fromEntries(entries.map(([name, value]) => [name, map(value, name)]))
}
