/** A server that answers as a test says: for what the stub of ComfyUI never says. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import type { TestContext } from "node:test"
import type { Json } from "@safelight/core"

export interface Asked {
  readonly method: string
  /** Without its query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

export interface Reply {
  readonly status: number
  readonly json: Json
  /** Nobody listens after it. */
  readonly isLast?: boolean
}

export type Answer = Reply | "break-off"

export interface AnsweringServer {
  readonly url: string
  /** Paths of the POSTs that came. */
  readonly posts: readonly string[]
  /** Their bodies. */
  readonly bodies: readonly string[]
}

/** What a server without any prompt says. */
export function IDLE(path: string): Answer {
  const json = path === "/queue" ? { queue_running: [], queue_pending: [] } : {}
  return { status: 200, json }
}

/** Closed after the test. */
export async function createAnsweringServer(
  t: TestContext,
  toAnswer: (asked: Asked) => Answer,
): Promise<AnsweringServer> {
  const posts: string[] = []
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const { pathname: path } = new URL(request.url ?? "/", "http://server")
    const method = request.method ?? ""
    const chunks: Buffer[] = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => method === "POST" && bodies.push(Buffer.concat(chunks).toString()))
    request.on("error", () => {})
    if (method === "POST") posts.push(path)
    const answer = toAnswer({ method, path, headers: request.headers })
    if (answer === "break-off") return request.socket.destroy()
    if (answer.isLast === true) {
      response.setHeader("connection", "close")
      server.close()
    }
    return response.writeHead(answer.status).end(JSON.stringify(answer.json))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, posts, bodies }
}
