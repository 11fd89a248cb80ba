/**
 * A service on a real socket that answers what a test tells it, request by request, and keeps what
 * it was asked: for what a command makes of an answer, whatever a real service would say.
 */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import type { TestContext } from "node:test"

export interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

export type Answer = (response: ServerResponse, seen: Seen) => void

/** Answers each request with the next of `answers`; the last one goes on for ever. */
export async function startScripted(t: TestContext, answers: readonly Answer[]) {
  const requests: Seen[] = []
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url, headers } = request
    const seen = { method, url, headers, body: await text(request) }
    const answer = answers[Math.min(requests.length, answers.length - 1)]
    requests.push(seen)
    answer?.(response, seen)
  }
  const server = createServer((request, response) => void take(request, response))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, requests }
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(JSON.stringify(body))
  }
}
