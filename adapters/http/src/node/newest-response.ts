/**
 * The newest response of each connection, and its turn. Node hands over every request that a client
 * sends ahead at once; here one waits until the answer before it is out, so that a connection never
 * holds more than one reader or buffer. Kept on the socket itself: a map would be written to at
 * every request.
 */
import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

const NEWEST = Symbol("newest response")
type Tracked = Duplex & { [NEWEST]?: ServerResponse }

export function findNewestResponse(socket: Tracked): ServerResponse | undefined {
  return socket[NEWEST]
}

/** Notes a connection's newest response; returns the one it has to wait for, if any. */
export function noteResponse(
  socket: Tracked,
  outgoing: ServerResponse,
): ServerResponse | undefined {
  const previous = socket[NEWEST]
  socket[NEWEST] = outgoing
  return previous === undefined || previous.closed ? undefined : previous
}

/** Calls `then` once nothing more of the response will be written: now, where there is none. */
export function afterResponse(outgoing: ServerResponse | undefined, then: () => void): void {
  if (outgoing === undefined || outgoing.closed) then()
  else outgoing.once("close", then)
}
