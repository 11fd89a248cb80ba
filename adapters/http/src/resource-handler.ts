/**
 * A resource as the one Hono handler of its path. Unknown methods and OPTIONS are answered before
 * anybody is authenticated (http-decisions §1), and whatever an answer throws is answered here.
 */
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import type { Context } from "hono"
import type { Watch } from "./answered-request.ts"
import type { Responder } from "./errors/responder.ts"
import { Refusal } from "./errors/refusal.ts"
import type { Answer, Exchange, HostBindings, Resource } from "./exchange.ts"

export interface ResourceHandlerOptions {
  readonly responder: Responder
  readonly nextRequestId: () => string
  readonly watch: Watch | undefined
}

type ResourceContext = Context<{ Bindings: HostBindings }>
type ResourceHandler = (context: ResourceContext) => Response | Promise<Response>

export function createResourceHandler(
  resource: Resource,
  { responder, nextRequestId, watch }: ResourceHandlerOptions,
): ResourceHandler {
  const answers = toAnswers(resource)
  const allow = Array.from(answers.keys()).join(", ")
  const { path: route } = resource

  return (context) => {
    const exchange = toExchange(context, nextRequestId())
    const { request, method, requestId, headers } = exchange
    const beganAt = watch?.begin() ?? 0
    const finish = (made: Response): Response => {
      const response = exchange.carriesHeaders === true ? made : withHeaders(made, headers)
      watch?.end({ exchange, route, response, beganAt })
      return response
    }
    const refuse = (error: unknown): Response => {
      const response = withHeaders(responder.refuse(error, requestId, method), headers)
      watch?.end({ exchange, route, response, beganAt })
      return response
    }
    let answered: Response | Promise<Response>
    try {
      Object.assign(headers, resource.headersFor?.(request))
      const answer = answers.get(method)
      if (answer === undefined) {
        throw new Refusal("method_not_allowed", { headers: { allow } })
      }
      answered = answer(exchange)
    } catch (error) {
      return refuse(error)
    }
    return answered instanceof Promise ? answered.then(finish, refuse) : finish(answered)
  }
}

function toExchange(context: ResourceContext, requestId: string): Exchange {
  const request = context.req.raw
  // Hono leaves `env` undefined where a host passes none.
  const bindings = context.env as HostBindings | undefined
  return {
    request,
    method: request.method,
    requestId,
    node: bindings?.node,
    threads: bindings?.threads,
    headers: {},
    param: (name) => context.req.param(name) ?? "",
  }
}

/** Content that went to Node's response directly took them along. */
function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  if (response !== RESPONSE_ALREADY_SENT) {
    for (const name in headers) response.headers.set(name, headers[name] ?? "")
  }
  return response
}

/** By method, in the order that `Allow` names them: HEAD beside GET, OPTIONS last. */
function toAnswers({ methods }: Resource): Map<string, Answer> {
  const answers = new Map<string, Answer>()
  for (const [method, answer] of Object.entries(methods)) {
    answers.set(method, answer)
    if (method === "GET") answers.set("HEAD", answer)
  }
  const allow = [...answers.keys(), "OPTIONS"].join(", ")
  answers.set("OPTIONS", ({ requestId }) => {
    const headers = { allow, "cache-control": "no-store", "x-request-id": requestId }
    return new Response(null, { status: 204, headers })
  })
  return answers
}
