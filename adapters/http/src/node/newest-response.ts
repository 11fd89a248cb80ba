/**
 * The newest response of each connection. Node hands over at once every request that a client sends
 * ahead; here each waits until the answer before it is sent, so that a connection never holds more than
 * one reader or buffer. It is kept on the socket itself: a map would be written to at every request.
 */
import type { ServerResponse } from "node:http"
import type { Duplex } from "node:stream"

const NEWEST = Symbol("newest response")
type Tracked = Duplex & { [NEWEST]?: ServerResponse }

export function findNewestResponse(socket: Tracked): ServerResponse | undefined {
  return socket[NEWEST]
}

/** Records a connection's newest response; returns the one it has to wait for, if any. */
export function noteResponse(
  socket: Tracked,
  outgoing: ServerResponse,
): ServerResponse | undefined {
  const previous = socket[NEWEST]
  socket[NEWEST] = outgoing
  return previous === undefined || previous.closed ? undefined : previous
}

/** Calls `then` once nothing more of the response will be written; at once if there is none. */
export function afterResponse(outgoing: ServerResponse | undefined, then: () => void): void {
  if (outgoing === undefined || outgoing.closed) then()
  else outgoing.once("close", then)
}
