/**
 * A resource as the one Hono handler of its path. Unknown methods and OPTIONS are answered before
 * anybody is authenticated (http-decisions §1), and whatever an answer throws is answered here.
 */
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import type { Context } from "hono"
import type { Responder } from "./errors/responder.ts"
import { Refusal } from "./errors/refusal.ts"
import type { Answer, Exchange, HostBindings, Resource } from "./exchange.ts"

export interface ResourceHandlerOptions {
  readonly responder: Responder
  readonly nextRequestId: () => string
}

type ResourceHandler = (
  context: Context<{ Bindings: HostBindings }>,
) => Response | Promise<Response>

export function createResourceHandler(
  resource: Resource,
  { responder, nextRequestId }: ResourceHandlerOptions,
): ResourceHandler {
  const answers = toAnswers(resource)
  const allow = Array.from(answers.keys()).join(", ")

  return (context) => {
    const request = context.req.raw
    const { method } = request
    const requestId = nextRequestId()
    const headers: Record<string, string> = {}
    const refuse = (error: unknown): Response =>
      withHeaders(responder.refuse(error, requestId, method), headers)
    try {
      Object.assign(headers, resource.headersFor?.(request))
      const answer = answers.get(method)
      if (answer === undefined) {
        throw new Refusal("method_not_allowed", { headers: { allow } })
      }
      // Hono leaves `env` undefined where a host passes none.
      const bindings = context.env as HostBindings | undefined
      const exchange: Exchange = {
        request,
        method,
        requestId,
        node: bindings?.node,
        threads: bindings?.threads,
        headers,
        param: (name) => context.req.param(name) ?? "",
      }
      const finish = (made: Response): Response =>
        exchange.carriesHeaders === true ? made : withHeaders(made, headers)
      const response = answer(exchange)
      return response instanceof Promise ? response.then(finish, refuse) : finish(response)
    } catch (error) {
      return refuse(error)
    }
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
