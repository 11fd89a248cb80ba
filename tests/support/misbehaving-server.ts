/**
 * Servers on this machine that a test lets behave as it likes, well or badly. They count what
 * connects, so that a test can wait until every connection is gone; closing one ends them all.
 */
import { createServer as createHttpServer, type RequestListener } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import {
  createServer as createRawServer,
  type AddressInfo,
  type Server,
  type Socket,
} from "node:net"
import { once } from "node:events"
import type { TestContext } from "node:test"
import type { SelfSignedCertificate } from "./self-signed-certificate.ts"

export interface LocalServer {
  /** On 127.0.0.1. */
  readonly port: number
  /** `http://127.0.0.1:port`. */
  readonly origin: string
  /** Connections accepted so far. */
  accepted(): number
  /** Resolves when no connection is left. */
  deserted(): Promise<void>
}

export function serve(context: TestContext, listener: RequestListener): Promise<LocalServer> {
  return listen(context, createHttpServer(listener))
}

export function serveSecurely(
  context: TestContext,
  certificate: SelfSignedCertificate,
  listener: RequestListener,
): Promise<LocalServer> {
  return listen(
    context,
    createHttpsServer({ ...certificate, ALPNProtocols: ["h2", "http/1.1"] }, listener),
  )
}

/** A server that speaks no protocol but what `onConnection` writes. */
export function serveRaw(
  context: TestContext,
  onConnection: (socket: Socket) => void,
): Promise<LocalServer> {
  return listen(
    context,
    createRawServer((socket) => {
      onConnection(socket)
      // A socket that is not read does not notice that the other side hangs up.
      socket.resume()
    }),
  )
}

/** Answers whatever is asked with these bytes, as they stand, and hangs up unless told otherwise. */
export function answerRaw(
  context: TestContext,
  answer: string | Uint8Array,
  { hangsUp = true } = {},
): Promise<LocalServer> {
  return serveRaw(context, (socket) => {
    socket.once("data", () => (hangsUp ? socket.end(answer) : socket.write(answer)))
  })
}

async function listen(context: TestContext, server: Server): Promise<LocalServer> {
  const sockets = new Set<Socket>()
  let accepted = 0
  server.on("connection", (socket: Socket) => {
    accepted += 1
    sockets.add(socket)
    // The other side hangs up whenever it likes.
    socket.on("error", () => undefined)
    socket.once("close", () => sockets.delete(socket))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  context.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    accepted: () => accepted,
    async deserted() {
      await Promise.all([...sockets].map(untilClosed))
    },
  }
}

/** Not `once`, which takes a reset for a failure. */
function untilClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once("close", () => resolve())
  })
}
