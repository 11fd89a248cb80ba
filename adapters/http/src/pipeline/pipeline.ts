/**
 * The way of a request from Hono to an endpoint and back, in the order of http-decisions §1:
 *
 *     method (405) → key (401, 403, 429) → the body's head (415) → headers (400) → query (400) → handler
 *
 * The handler asks for the body: then it is received and read (413, 408, 400), and the key asked once more
 * (401, 403), since a body may take minutes. Unknown methods and OPTIONS are answered before anybody is
 * authenticated, and whatever an endpoint throws becomes its answer here. A check that an endpoint does not
 * declare costs its requests nothing.
 */
import type { Clock, Identity } from "@safelight/core"
import type { Context } from "hono"
import type { CheckAccess } from "../access/check-access.ts"
import type { Watch } from "./answered-request.ts"
import type { Endpoint, Handler, PathHeaders } from "./endpoint.ts"
import type { AnswerError } from "../errors/answer-error.ts"
import type { ErrorCode } from "../errors/error-table.ts"
import { refuse, Refusal } from "../errors/refusal.ts"
import { THREADS, type Exchange, type HostBindings, type ServerBindings } from "./exchange.ts"
import { respond } from "./json-response.ts"
import type { BodyReading, BodyServices, BodyUse } from "../request/body-kinds.ts"
import { createHeaderReader } from "../request/header-parameters.ts"
import { readQuery } from "../request/query-parameters.ts"

/** One path with what answers each of its methods, in the order that `Allow` names them. */
export interface ServedPath {
  readonly route: string
  readonly answers: Map<string, Answer>
  pathHeaders: PathHeaders["toHeaders"] | undefined
}

/** Throws a `Refusal` or any other error. */
export type Answer = Handler<Exchange>

export interface PathHandlerOptions {
  readonly answerError: AnswerError
  readonly nextRequestId: () => string
  readonly watch: Watch | undefined
  readonly clock: Pick<Clock, "now">
}

type PathContext = Context<{ Bindings: HostBindings }>
type PathHandler = (context: PathContext) => Response | Promise<Response>

/** The one Hono handler of a path. */
export function createPathHandler(
  { route, answers, pathHeaders }: ServedPath,
  { answerError, nextRequestId, watch, clock }: PathHandlerOptions,
): PathHandler {
  const allow = [...answers.keys(), "OPTIONS"].join(", ")
  const options: Answer = (exchange) => respond(exchange, 204, undefined, { allow })
  const all = new Map([...answers, ["OPTIONS", options]])

  function answer(exchange: Exchange): Response | Promise<Response> {
    try {
      if (pathHeaders !== undefined) Object.assign(exchange.headers, pathHeaders(exchange.request))
      const own = all.get(exchange.method)
      if (own === undefined) throw new Refusal("method_not_allowed", { headers: { allow } })
      const answered = own(exchange)
      if (!(answered instanceof Promise)) return answered
      return answered.catch((error: unknown) => answerError(error, exchange))
    } catch (error) {
      return answerError(error, exchange)
    }
  }

  return (context) => {
    const exchange = toExchange(context, nextRequestId(), clock.now())
    if (watch === undefined) return answer(exchange)
    const watched = watch.begin(exchange, route)
    const end = (response: Response): Response => watch.end(watched, response)
    function handle(): Response | Promise<Response> {
      const answered = answer(exchange)
      return answered instanceof Promise ? answered.then(end) : end(answered)
    }
    return watched.span === undefined ? handle() : watched.span.run(handle)
  }
}

interface Received extends Pick<PathContext, "req"> {
  /** Hono leaves it undefined if the host passes none, and its type does not say so. */
  readonly env: HostBindings | undefined
}

function toExchange({ env, req }: Received, requestId: string, startedAt: number): Exchange {
  const request = req.raw
  return {
    request,
    method: request.method,
    requestId,
    startedAt,
    host: isOurs(env) ? env : undefined,
    threads: isOurs(env) ? env.server.threads : env?.[THREADS],
    headers: {},
    param: (name) => req.param(name) ?? "",
    report: { identity: undefined, task: undefined, waitedMs: 0, transfer: undefined },
  }
}

/** Another host's own bindings are ignored. */
function isOurs(env: HostBindings | undefined): env is ServerBindings {
  return env?.node !== undefined && env.server !== undefined
}

export interface PipelineOptions<Needs> {
  readonly services: Needs
  /** May be absent only if no endpoint needs a key. */
  readonly checkAccess?: CheckAccess
  /** May be absent only if no endpoint takes a body. */
  readonly bodyServices?: BodyServices
}

/** Undefined if the host has nothing for the endpoint to serve. */
export function toAnswer<Needs>(
  endpoint: Endpoint<Needs>,
  options: PipelineOptions<Needs>,
): Answer | undefined {
  const handler = endpoint.create(options.services)
  if (handler === undefined) return undefined
  const { key, query } = endpoint
  const { check: checkHead, reading } = toBodyUse(endpoint, options)
  const readSent = endpoint.headers && createHeaderReader(endpoint.headers)
  const checks =
    key && expect(options.checkAccess, "an endpoint needs a key, and nothing checks keys")
  const isOpen = (exchange: Exchange): boolean => key?.unless?.isThere(exchange.request) === true
  const confirm: Confirm = (exchange) =>
    key === undefined || isOpen(exchange) ? undefined : checks?.confirm(exchange, key)

  function proceed(exchange: Exchange, identity?: Identity): Response | Promise<Response> {
    checkHead?.(exchange)
    const sent = readSent?.(exchange)
    const asked = query && readQuery(exchange.request.url, query)
    if (reading === undefined) return handle(toCall(exchange, { identity, sent, query: asked }))
    const body = openBody(exchange, reading, confirm)
    return settle(handle(toCall(exchange, { identity, sent, query: asked, body })), body)
  }

  // The members of the call are those that the declaration's type names: they were read by it.
  const handle = (call: object): Response | Promise<Response> => handler(call as never)

  if (key === undefined || checks === undefined) return proceed
  return (exchange) => {
    if (isOpen(exchange)) return proceed(exchange)
    const admitted = checks.admit(exchange, key)
    if (!(admitted instanceof Promise)) return proceed(exchange, admitted)
    return admitted.then((identity) => proceed(exchange, identity))
  }
}

function toBodyUse<Needs>(
  { body }: Endpoint<Needs>,
  { bodyServices }: PipelineOptions<Needs>,
): BodyUse<unknown> {
  if (body === undefined) return {}
  return body.create(expect(bodyServices, "an endpoint takes a body, and nothing reads bodies"))
}

function expect<Value>(value: Value | undefined, message: string): Value {
  if (value === undefined) throw new Error(message)
  return value
}

interface OpenBody {
  readonly read: () => Promise<unknown>
  /** Nothing of it is held any more. */
  readonly release: () => void
}

type Confirm = (exchange: Exchange) => unknown

/** A body that is received once its handler asks for it. */
function openBody(
  exchange: Exchange,
  { parse, receive }: BodyReading<unknown>,
  confirm: Confirm,
): OpenBody {
  let held: (() => void) | undefined
  let isReleased = false
  return {
    async read() {
      const { pieces, release } = await receive(exchange)
      held = release
      if (isReleased) release()
      const value = await parse(pieces, exchange)
      await confirm(exchange)
      return value
    },
    release() {
      isReleased = true
      held?.()
      // It has the bytes in its scope, and a call may wait for minutes.
      held = undefined
    },
  }
}

async function settle(
  answered: Response | Promise<Response>,
  { release }: OpenBody,
): Promise<Response> {
  try {
    return await answered
  } finally {
    release()
  }
}

interface CallParts {
  readonly identity: Identity | undefined
  readonly sent: unknown
  readonly query: unknown
  readonly body?: OpenBody
}

/** What the handler gets: as `Call` says, and as its declaration has it. */
function toCall(exchange: Exchange, { body, identity, query, sent }: CallParts): object {
  return {
    request: exchange.request,
    method: exchange.method,
    requestId: exchange.requestId,
    startedAt: exchange.startedAt,
    host: exchange.host,
    threads: exchange.threads,
    headers: exchange.headers,
    param: exchange.param,
    report: exchange.report,
    identity,
    caller: identity?.account,
    sent,
    query,
    body: body?.read,
    releaseBody: body?.release ?? holdNothing,
    refuse,
    demand,
    reply(status: number, shown?: object | string, headers?: Readonly<Record<string, string>>) {
      const text = typeof shown === "object" ? JSON.stringify(shown) : shown
      return respond(exchange, status, text, headers)
    },
  }
}

function holdNothing(): void {}

function demand<Found>(found: Found | undefined, code: ErrorCode): Found {
  if (found === undefined) throw refuse(code)
  return found
}
