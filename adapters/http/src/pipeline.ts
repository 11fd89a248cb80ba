/**
 * Makes of a declaration a function that answers its requests, in the order of http-decisions §1:
 *
 *     key (401, 403, 429) → the body's head (415) → headers (400) → query (400) → body (413, 408, 400) →
 *     the key once more (401, 403) → handler
 *
 * A check that the declaration does not need costs its requests nothing.
 */
import type { Check, CheckAccess } from "./access/check-access.ts"
import type { Endpoint, Handler, KeyNeed } from "./endpoint.ts"
import { refuse } from "./errors/refusal.ts"
import type { Exchange } from "./exchange.ts"
import { reply } from "./json-response.ts"
import { readHeaders } from "./request/header-parameters.ts"
import { readQuery } from "./request/query-parameters.ts"
import type { Services } from "./services.ts"

/** Throws a `Refusal` or an outside error; the caller answers with it. */
export type Answer = Handler<Exchange>

export interface PipelineOptions<Needs> {
  readonly services: Needs
  /** May be absent only if no endpoint needs a key. */
  readonly checkAccess?: CheckAccess
}

/** Undefined if the host has nothing for the endpoint to serve. */
export function toAnswer<Needs>(
  endpoint: Endpoint<Needs>,
  { services, checkAccess }: PipelineOptions<Needs>,
): Answer | undefined {
  const handler = endpoint.create(services, { refuse, reply })
  if (handler === undefined) return undefined
  const { key } = endpoint
  if (key === undefined) return withParameters(endpoint, services, handler, handler)
  if (checkAccess === undefined) throw new Error("an endpoint needs a key, and nothing checks keys")
  const confirmed = withKey(key, checkAccess.confirm, handler)
  return withKey(key, checkAccess.admit, withParameters(endpoint, services, handler, confirmed))
}

function withKey(key: KeyNeed, check: Check, proceed: Answer): Answer {
  return (exchange) => {
    if (key.unless?.isThere(exchange.request) === true) return proceed(exchange)
    const checking = check(exchange, key)
    return checking === undefined ? proceed(exchange) : checking.then(() => proceed(exchange))
  }
}

/** `proceedWithBody`: if a body was read. */
function withParameters<Needs>(
  { headers, query, body }: Endpoint<Needs>,
  services: Needs,
  proceed: Answer,
  proceedWithBody: Answer,
): Answer {
  if (headers === undefined && query === undefined && body === undefined) return proceed
  const { check, read } = body?.create(services as Needs & Services) ?? {}
  return (exchange) => {
    check?.(exchange)
    if (headers !== undefined) exchange.sent = readHeaders(exchange, headers)
    if (query !== undefined) exchange.query = readQuery(exchange.request.url, query)
    if (read === undefined) return proceed(exchange)
    const reading = read(exchange, (value) => {
      exchange.body = value
      return proceedWithBody(exchange)
    })
    return reading.then((response) => {
      exchange.body = undefined
      return exchange.afterBody?.() ?? response
    })
  }
}
