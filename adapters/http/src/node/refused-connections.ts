/**
 * Connections that are closed without an answer because there are too many, or because too much is
 * sent ahead on them. The log hears of them at most once a minute, for a flood must not fill it.
 */
import type { Server } from "node:http"
import type { Log } from "@safelight/core"

const TELL_EACH_MS = 60_000

export type RefusedBecause = "connections" | "requests sent ahead"

/** Counts each call, and tells the log of the first one and of all later ones once a minute. */
export function createRefusedConnections(log: Log): (because: RefusedBecause) => void {
  let refused = 0
  let tellAt = 0
  return (because) => {
    refused += 1
    const now = performance.now()
    if (now < tellAt) return
    tellAt = now + TELL_EACH_MS
    log.warn({ refused, because }, "connections were closed: too many at once")
    refused = 0
  }
}

/** Node closes a connection past the limit without a word, and tells of it by `drop`. */
export function limitConnections(server: Server, connections: number, onDrop: () => void): void {
  server.maxConnections = connections
  server.on("drop", onDrop)
}
