/**
 * A Node server around the handler. What Node would answer by itself with an empty body (no Host,
 * a broken request, a slow one) gets our error body, and nothing is read from a request that is
 * refused already, save what lets its sender see the answer.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { getRequestListener } from "@hono/node-server"
import { SILENT_LOG, type Log } from "@safelight/core"
import { toSettings, type HttpSettings } from "../defaults.ts"
import { toErrorResponse } from "../errors/error-response.ts"
import { Refusal } from "../errors/refusal.ts"
import type { NodePair } from "../exchange.ts"
import type { HttpHandler } from "../http-handler.ts"
import { createRequestIds } from "../request-id.ts"
import { createClientErrorListener } from "./client-error.ts"
import { closeServer } from "./close-server.ts"
import { isFullyReceived, sendAndLinger } from "./linger.ts"
import { listen } from "./listen.ts"

export interface NodeServerOptions {
  readonly handler: Pick<HttpHandler, "fetch">
  /** An address or name of this machine; 127.0.0.1 by default. */
  readonly host?: string
  /** 0, the default, takes any free one. */
  readonly port?: number
  readonly log?: Log
  readonly settings?: Partial<HttpSettings>
}

export interface NodeServer {
  /** Where it listens, without a slash at the end: `http://127.0.0.1:8080`. */
  readonly url: string
  /**
   * Accepts nothing new, lets running requests finish for up to `graceMs`, then ends what is left.
   * Resolves when the last connection is closed; safe to call twice.
   */
  close(options: { readonly graceMs: number }): Promise<void>
}

/**
 * Resolves once it listens. Rejects with `invalid-configuration` on a setting, and where the
 * address is taken, forbidden or not of this machine.
 */
export async function createNodeServer(options: NodeServerOptions): Promise<NodeServer> {
  const { handler, host = "127.0.0.1", port = 0, log = SILENT_LOG } = options
  const settings = toSettings(options.settings)
  const server = createServer(toServerOptions(settings))
  attach(server, handler, settings, host)
  const url = await listen(server, { host, port })
  server.on("error", (error) => {
    log.error({ error }, "the server failed to accept a connection")
  })
  return { url, close: ({ graceMs }) => closeServer(server, graceMs) }
}

function toServerOptions(settings: HttpSettings): object {
  return {
    headersTimeout: Math.min(settings.headersTimeoutMs, settings.requestTimeoutMs),
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    maxHeaderSize: settings.headerBytes,
    // Node looks for late requests at this pace; its own 30 s would make 15 s into 45.
    connectionsCheckingInterval: Math.max(10, Math.min(1_000, settings.headersTimeoutMs / 10)),
    // Node's own answer would have no body; `checkTarget` refuses it instead.
    requireHostHeader: false,
  }
}

function attach(
  server: Server,
  handler: Pick<HttpHandler, "fetch">,
  settings: HttpSettings,
  host: string,
): void {
  const nextRequestId = createRequestIds()
  const onClientError = createClientErrorListener(nextRequestId, settings.lingerMs)

  function serve(request: Request, node: NodePair): Response | Promise<Response> {
    const refusal = checkTarget(node.incoming, settings)
    const response =
      refusal === undefined
        ? handler.fetch(request, { node })
        : toErrorResponse(refusal, nextRequestId(), request.method)
    // A body with one of these has no meaning and is left to Node.
    if (request.method === "GET" || request.method === "HEAD") return response
    return finish(response, node, settings.lingerMs)
  }

  const listener = getRequestListener((request, env) => serve(request, env as NodePair), {
    hostname: host,
    errorHandler: () => toErrorResponse(refuseTarget(), nextRequestId(), "GET"),
  })

  function onRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
    onClientError.answering(incoming.socket, outgoing)
    // A closing server lets nobody count on the connection (RFC 9112 §9.6).
    if (!server.listening) outgoing.shouldKeepAlive = false
    void listener(incoming, outgoing)
  }
  server.on("request", onRequest)
  // Who waits for `100 Continue` is told so by the body's reader; other expectations are ignored.
  server.on("checkContinue", onRequest)
  server.on("checkExpectation", onRequest)
  server.on("clientError", onClientError.listener)
}

async function finish(
  response: Response | Promise<Response>,
  node: NodePair,
  lingerMs: number,
): Promise<Response> {
  const settled = await response
  return isFullyReceived(node.incoming) ? settled : sendAndLinger(settled, node, lingerMs)
}

/** HTTP/1.1 needs exactly one Host (RFC 9112 §3.2). */
function checkTarget(incoming: IncomingMessage, settings: HttpSettings): Refusal | undefined {
  const { rawHeaders, httpVersionMinor, url = "" } = incoming
  if (url.length > settings.urlCharacters) return new Refusal("uri_too_long")
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === "host") hosts += 1
  }
  if (hosts === 1 || (hosts === 0 && httpVersionMinor === 0)) return undefined
  return refuseTarget()
}

function refuseTarget(): Refusal {
  return new Refusal("malformed_request", {
    message: "A request needs one Host header and a valid URL.",
    headers: { connection: "close" },
  })
}
