/**
 * Answers a request whose body is still arriving. Closing at once would reset the connection, and the
 * reset can overtake the answer (RFC 9112 §9.6). So the whole answer is sent, the rest of the body is
 * read and dropped for a while, and only then the response ends.
 */
import type { IncomingMessage } from "node:http"
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response"
import type { NodePair } from "./server-port.ts"

export async function sendAndLinger(
  response: Response,
  { incoming, outgoing }: NodePair,
  lingerMs: number,
): Promise<Response> {
  const body = Buffer.from(await response.arrayBuffer())
  const headers = { ...Object.fromEntries(response.headers), connection: "close" }
  if (response.status === 204) outgoing.writeHead(response.status, headers)
  else outgoing.writeHead(response.status, { ...headers, "content-length": body.length })
  // It is not ended yet: that would close the connection.
  if (body.length === 0) outgoing.flushHeaders()
  else outgoing.write(body)
  await drain(incoming, lingerMs)
  outgoing.end()
  return RESPONSE_ALREADY_SENT
}

/** Drops the rest of the body, until it ends, the client leaves, or the time is up. */
function drain(incoming: IncomingMessage, lingerMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(finish, lingerMs)
    function finish(): void {
      clearTimeout(timer)
      resolve()
    }
    incoming.once("end", finish)
    incoming.once("close", finish)
    incoming.on("error", finish)
    incoming.resume()
    if (incoming.destroyed) finish()
  })
}
