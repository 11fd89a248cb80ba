/**
 * Endpoints as a Hono app and a fetch handler. Each path has exactly one Hono handler, which looks
 * its method up itself: Hono answers a single handler without composing middleware, and so an
 * unknown method is a 405 of ours before anybody is authenticated.
 */
import type { Log, Tracer } from "@safelight/core"
import { Hono } from "hono"
import { createWatch, toRefusedRequest, type OnAnswered } from "./answered-request.ts"
import { DEFAULTS } from "./defaults.ts"
import type { Endpoint } from "./endpoint.ts"
import type { ErrorCode } from "../errors/error-table.ts"
import { Refusal } from "../errors/refusal.ts"
import { createAnswerError } from "../errors/answer-error.ts"
import type { HostBindings } from "./exchange.ts"
import { createPathHandler, toAnswer, type PipelineOptions, type ServedPath } from "./pipeline.ts"
import { createRequestIds } from "./request-id.ts"
import type { Services } from "./services.ts"

export interface HttpHandler {
  /** Never rejects; without a promise if nothing has to be waited for. `bindings` are for our own server. */
  fetch(request: Request, bindings?: HostBindings): Response | Promise<Response>
  /** The same routes for a Hono host: `host.route("/", handler.app)`. */
  readonly app: Hono<{ Bindings: HostBindings }>
  /**
   * Answers the requests that wait for a task, and every later one at once: for a host that stops. Our Node
   * server calls it as it closes. Absent if no endpoint waits.
   */
  endWaits?(): void
}

export interface RouterOptions<Needs> extends PipelineOptions<Needs & Pick<Services, "clock">> {
  readonly log: Log
  readonly urlCharacters?: number
  readonly onAnswered?: OnAnswered | undefined
  readonly tracer?: Tracer | undefined
  /** What the refusal at / says; by default that of any unknown path. */
  readonly rootWords?: string | undefined
  /** From 0 up to 1. */
  readonly random?: (() => number) | undefined
}

export function createRouter<Needs>(
  endpoints: readonly Endpoint<Needs>[],
  options: RouterOptions<Needs>,
): HttpHandler {
  const { log, services, onAnswered, rootWords, tracer } = options
  const { random = Math.random, urlCharacters = DEFAULTS.urlCharacters } = options
  const nextRequestId = createRequestIds()
  const answerError = createAnswerError(log, random)
  const isWatched = onAnswered !== undefined || tracer !== undefined
  const watch = isWatched ? createWatch({ clock: services.clock, onAnswered, tracer }) : undefined
  const app = new Hono<{ Bindings: HostBindings }>()
  for (const path of toPaths(endpoints, options)) {
    app.all(
      path.route,
      createPathHandler(path, { answerError, nextRequestId, watch, clock: services.clock }),
    )
  }

  function refuse(code: ErrorCode, method: string, message?: string): Response {
    const refusal = new Refusal(code, message === undefined ? {} : { message })
    const requestId = nextRequestId()
    onAnswered?.(toRefusedRequest({ requestId, method, refusal }))
    return answerError(refusal, { requestId, method })
  }

  app.notFound(({ req }) => {
    return refuse("route_not_found", req.method, req.path === "/" ? rootWords : undefined)
  })
  return {
    app,
    fetch(request, bindings) {
      if (request.url.length > urlCharacters) return refuse("uri_too_long", request.method)
      return app.fetch(request, bindings)
    },
  }
}

function toPaths<Needs>(
  endpoints: readonly Endpoint<Needs>[],
  options: PipelineOptions<Needs>,
): Iterable<ServedPath> {
  const paths = new Map<string, ServedPath>()
  for (const endpoint of endpoints) {
    const answer = toAnswer(endpoint, options)
    if (answer === undefined) continue
    const { path: route, method, pathHeaders } = endpoint
    const path = paths.get(route) ?? { route, answers: new Map(), pathHeaders: undefined }
    paths.set(route, path)
    path.answers.set(method, answer)
    if (method === "GET") path.answers.set("HEAD", answer)
    path.pathHeaders ??= pathHeaders?.toHeaders
  }
  return paths.values()
}
