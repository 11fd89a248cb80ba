/**
 * Resources as a Hono app and a fetch handler. Each path has exactly one Hono handler, which looks
 * its method up itself: Hono answers a single handler without composing middleware, and so an
 * unknown method is a 405 of ours before anybody is authenticated.
 */
import type { Clock, Log } from "@safelight/core"
import { Hono } from "hono"
import { createWatch, toRefusedRequest, type OnAnswered } from "./answered-request.ts"
import type { ErrorCode } from "./errors/error-table.ts"
import { Refusal } from "./errors/refusal.ts"
import { createResponder } from "./errors/responder.ts"
import type { HostBindings, Resource } from "./exchange.ts"
import { createRequestIds } from "./request-id.ts"
import { createResourceHandler } from "./resource-handler.ts"

export interface HttpHandler {
  /** Never rejects; answers at once where nothing has to be waited for. `bindings.node` is for a host that leaves Node's response to the handler. */
  fetch(request: Request, bindings?: HostBindings): Response | Promise<Response>
  /** The same routes for a Hono host: `host.route("/", handler.app)`. */
  readonly app: Hono<{ Bindings: HostBindings }>
}

export interface RouterOptions {
  readonly log: Log
  readonly clock: Pick<Clock, "monotonicNow">
  readonly urlCharacters: number
  readonly onAnswered: OnAnswered | undefined
  /** What the refusal at / says; by default that of any unknown path. */
  readonly rootWords?: string
  /** From 0 up to 1. */
  readonly random: () => number
}

export function createRouter(resources: readonly Resource[], options: RouterOptions): HttpHandler {
  const { log, clock, urlCharacters, onAnswered, random, rootWords } = options
  const nextRequestId = createRequestIds()
  const responder = createResponder({ log, random })
  const watch = onAnswered && createWatch(onAnswered, clock)
  const app = new Hono<{ Bindings: HostBindings }>()
  for (const resource of resources) {
    app.all(resource.path, createResourceHandler(resource, { responder, nextRequestId, watch }))
  }

  function refuse(code: ErrorCode, method: string, message?: string): Response {
    const refusal = new Refusal(code, message === undefined ? {} : { message })
    const requestId = nextRequestId()
    onAnswered?.(toRefusedRequest({ requestId, method, refusal }))
    return responder.refuse(refusal, requestId, method)
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
