/**
 * Ends a connection on which no request follows its last answer. Node's own limits can be evaded: it restarts
 * the one of keep-alive at every byte, and begins the one of a head at its first letter, so line ends between
 * two requests would keep a connection for ever.
 */
import type { Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { findNewestResponse } from "./turns.ts"

/**
 * A connection ends between one and two times `idleMs` after its last answer. One timer serves all: of each
 * connection it compares the answer that it is idle after with the one of the look before.
 */
export function endIdleConnections(server: Server, idleMs: number): void {
  const idleAfter = new Map<Socket, ServerResponse | undefined>()

  function look(): void {
    for (const [socket, before] of idleAfter) {
      const newest = findNewestResponse(socket)
      const last = newest?.closed === true ? newest : undefined
      if (last !== undefined && last === before) socket.destroy()
      else idleAfter.set(socket, last)
    }
  }

  const timer = setInterval(look, idleMs).unref()
  server.on("connection", (socket: Socket) => {
    idleAfter.set(socket, undefined)
    socket.once("close", () => idleAfter.delete(socket))
  })
  server.once("close", () => {
    clearInterval(timer)
  })
}
