/**
 * The end of a server:
 *
 *     accepting -> draining (running requests finish, idle connections close) -> closed
 *                     graceMs later: what still runs is ended
 */
import type { Server } from "node:http"

/** A connection that falls idle after its last answer is noticed this much later. */
const IDLE_CHECK_MS = 50

/** Resolves when the last connection is closed; safe to call twice. */
export function closeServer(
  server: Server,
  { graceMs }: { readonly graceMs: number },
): Promise<void> {
  return new Promise((resolve) => {
    const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS)
    const grace = setTimeout(() => server.closeAllConnections(), graceMs)
    // The only error that `close` reports is that the server is closed already.
    server.close(() => {
      clearInterval(idle)
      clearTimeout(grace)
      resolve()
    })
    server.closeIdleConnections()
  })
}
