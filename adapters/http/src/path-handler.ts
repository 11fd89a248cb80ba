/**
 * The one Hono handler of a path. Unknown methods and OPTIONS are answered before anybody is
 * authenticated (http-decisions §1), and whatever an endpoint throws becomes its answer here.
 */
import type { Clock } from "@safelight/core"
import type { Context } from "hono"
import type { Watch } from "./answered-request.ts"
import type { AnswerError } from "./errors/answer-error.ts"
import { Refusal } from "./errors/refusal.ts"
import type { Exchange, HostBindings } from "./exchange.ts"
import { reply } from "./json-response.ts"
import type { ServedPath } from "./router.ts"

export interface PathHandlerOptions {
  readonly answerError: AnswerError
  readonly nextRequestId: () => string
  readonly watch: Watch | undefined
  readonly clock: Pick<Clock, "now">
}

type PathContext = Context<{ Bindings: HostBindings }>
type PathHandler = (context: PathContext) => Response | Promise<Response>

export function createPathHandler(
  { route, answers, pathHeaders }: ServedPath,
  { answerError, nextRequestId, watch, clock }: PathHandlerOptions,
): PathHandler {
  const allow = [...answers.keys(), "OPTIONS"].join(", ")
  const options = (exchange: Exchange): Response => reply(exchange, 204, undefined, { allow })
  const all = new Map([...answers, ["OPTIONS", options]])

  return (context) => {
    const exchange = toExchange(context, nextRequestId(), clock.now())
    const { request, method, requestId, headers } = exchange
    const watched = watch?.begin(exchange, route)
    const end = (response: Response): Response => {
      if (watched !== undefined) watch?.end(watched, response)
      return response
    }
    const finish = (made: Response): Response =>
      end(exchange.carriesHeaders === true ? made : withHeaders(made, headers))
    const refuse = (error: unknown): Response =>
      end(withHeaders(answerError(error, requestId, method), headers))

    function handle(): Response | Promise<Response> {
      let answered: Response | Promise<Response>
      try {
        if (pathHeaders !== undefined) Object.assign(headers, pathHeaders(request))
        const answer = all.get(method)
        if (answer === undefined) throw new Refusal("method_not_allowed", { headers: { allow } })
        answered = answer(exchange)
      } catch (error) {
        return refuse(error)
      }
      return answered instanceof Promise ? answered.then(finish, refuse) : finish(answered)
    }

    return watched?.span === undefined ? handle() : watched.span.run(handle)
  }
}

function toExchange(context: PathContext, requestId: string, startedAt: number): Exchange {
  const request = context.req.raw
  // Hono leaves `env` undefined if the host passes none.
  const env = context.env as HostBindings | undefined
  return {
    request,
    method: request.method,
    requestId,
    startedAt,
    host: isOurs(env) ? env : undefined,
    headers: {},
    param: (name) => context.req.param(name) ?? "",
  }
}

/** Another host's own bindings are ignored. */
function isOurs(env: HostBindings | undefined): env is Required<HostBindings> {
  return env?.node !== undefined && env.server !== undefined
}

function withHeaders(response: Response, headers: Readonly<Record<string, string>>): Response {
  for (const name in headers) response.headers.set(name, headers[name] ?? "")
  return response
}
