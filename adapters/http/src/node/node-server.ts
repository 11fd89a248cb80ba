/**
 * A Node server around the handler. Requests that Node itself would answer with an empty body (no Host,
 * malformed, too slow) get our error body. Once a request is refused, its body is read only until the client
 * has seen the answer.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { getRequestListener } from "@hono/node-server"
import { createErrorLog, type Log } from "@safelight/core"
import { toRefusedRequest, type OnAnswered } from "../pipeline/answered-request.ts"
import { toSettings, type HttpSettings } from "../pipeline/defaults.ts"
import { toErrorResponse } from "../errors/error-response.ts"
import type { Refusal } from "../errors/refusal.ts"
import type { ServerPort } from "../pipeline/exchange.ts"
import { createRequestIds } from "../pipeline/request-id.ts"
import type { HttpHandler } from "../pipeline/router.ts"
import { checkHead, refuseTarget, toParserBytes } from "./check-head.ts"
import { createClientErrorListener } from "./client-error.ts"
import { closeServer } from "./close-server.ts"
import { createConnectListener } from "./connect-listener.ts"
import { createCreationThreads } from "./creation-threads.ts"
import { endIdleConnections } from "./idle-connections.ts"
import { sendAndLinger } from "./linger.ts"
import { listen } from "./listen.ts"
import { createRawAnswer } from "./raw-answer.ts"
import { createRefusedConnections } from "./refused-connections.ts"
import { createServerPort, type NodePair } from "./server-port.ts"
import { endStalledAnswers } from "./stalled-answers.ts"
import { createTurns, type AwaitTurn } from "./turns.ts"

export interface NodeServerOptions {
  readonly handler: Pick<HttpHandler, "endWaits" | "fetch">
  /** An address or name of this machine; 127.0.0.1 by default. */
  readonly host?: string
  /** 0, the default, takes any free one. */
  readonly port?: number
  /** Without it errors are written to the console, and nothing else is; `SILENT_LOG` writes nothing. */
  readonly log?: Log
  readonly settings?: Partial<HttpSettings>
  /** Called for every request that was refused before the handler saw it; the handler reports the others. */
  readonly onAnswered?: OnAnswered
}

export interface NodeServer {
  /** Where it listens, without a slash at the end: `http://127.0.0.1:8080`. */
  readonly url: string
  /**
   * Accepts nothing new, answers the requests that wait for a task, lets running ones finish for up to `graceMs`,
   * then ends the rest.
   * Resolves when the last connection is closed; safe to call twice.
   */
  close(options: { readonly graceMs: number }): Promise<void>
}

/**
 * Resolves once it listens. Rejects with `invalid-configuration` if a setting is not a positive integer,
 * or if the address is taken, forbidden or not of this machine.
 */
export async function createNodeServer(options: NodeServerOptions): Promise<NodeServer> {
  const { handler, host = "127.0.0.1", port = 0, log = createErrorLog(globalThis) } = options
  const settings = toSettings(options.settings)
  const server = Object.assign(createServer(toServerOptions(settings)), {
    // A client may say that it has said all before it reads the answer (RFC 9112 §9.6).
    httpAllowHalfOpen: true,
    // Their bytes are what counts.
    maxHeadersCount: 0,
  })
  const threads = createCreationThreads({ settings, log })
  const { onAnswered } = options
  const noteRefused = createRefusedConnections(log)
  const awaitTurn = createTurns(() => noteRefused("requests sent ahead"))
  attach(server, handler, {
    settings,
    host,
    port: createServerPort({ threads }),
    onAnswered,
    awaitTurn,
  })
  server.maxConnections = settings.connections
  // Node closes a connection past the limit without a word.
  server.on("drop", () => noteRefused("connections"))
  endStalledAnswers(server, settings.stalledAnswerMs)
  // A request that begins in time to be kept alive has its whole head by then.
  endIdleConnections(server, settings.keepAliveTimeoutMs + settings.headersTimeoutMs)
  const url = await listen(server, { host, port })
  server.on("error", (error) => {
    log.error({ error }, "connection not accepted")
  })
  return {
    url,
    async close({ graceMs }) {
      const closed = closeServer(server, { graceMs })
      handler.endWaits?.()
      await closed
      await threads.end()
    },
  }
}

interface Attached {
  readonly settings: HttpSettings
  readonly host: string
  readonly port: ServerPort
  readonly onAnswered: OnAnswered | undefined
  readonly awaitTurn: AwaitTurn
}

function toServerOptions(settings: HttpSettings): object {
  return {
    headersTimeout: Math.min(settings.headersTimeoutMs, settings.requestTimeoutMs),
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    maxHeaderSize: toParserBytes(settings),
    // Node looks for late requests at this pace; its own 30 s would make 15 s into 45.
    connectionsCheckingInterval: Math.max(10, Math.min(1_000, settings.headersTimeoutMs / 10)),
    // Node's own answer would have no body; `checkHead` refuses it instead.
    requireHostHeader: false,
  }
}

function attach(
  server: Server,
  handler: Pick<HttpHandler, "fetch">,
  { settings, host, port, onAnswered, awaitTurn }: Attached,
): void {
  const nextRequestId = createRequestIds()
  const { lingerMs } = settings
  const answerRaw = createRawAnswer({ nextRequestId, lingerMs, onAnswered })

  function refuse(refusal: Refusal, method: string): Response {
    const requestId = nextRequestId()
    onAnswered?.(toRefusedRequest({ requestId, method, refusal }))
    return toErrorResponse(refusal, requestId, method)
  }

  function serve(request: Request, node: NodePair): Response | Promise<Response> {
    const refusal = checkHead(node.incoming, settings)
    const response =
      refusal === undefined
        ? handler.fetch(request, { node, server: port })
        : refuse(refusal, request.method)
    // A body of a GET or HEAD means nothing and is left to Node.
    if (request.method === "GET" || request.method === "HEAD") return response
    return finish(response, node, lingerMs)
  }

  const listener = getRequestListener((request, env) => serve(request, env as NodePair), {
    hostname: host,
    errorHandler: () => refuse(refuseTarget(), "GET"),
  })

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    // A closing server says that the connection carries no further request (RFC 9112 §9.6).
    if (!server.listening) outgoing.shouldKeepAlive = false
    awaitTurn(incoming.socket, outgoing, () => void listener(incoming, outgoing))
  }
  server.on("request", onRequest)
  // The body's reader sends `100 Continue`; other expectations are ignored.
  server.on("checkContinue", onRequest)
  server.on("checkExpectation", onRequest)
  server.on("connect", createConnectListener(answerRaw))
  server.on("clientError", createClientErrorListener(answerRaw, settings))
}

async function finish(
  response: Response | Promise<Response>,
  node: NodePair,
  lingerMs: number,
): Promise<Response> {
  const settled = await response
  return node.incoming.complete ? settled : sendAndLinger(settled, node, lingerMs)
}
