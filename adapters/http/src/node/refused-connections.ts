/**
 * Connections that are closed without an answer because there are too many, or because too much is
 * sent ahead on them. The log hears of them at most once a minute, for a flood must not fill it.
 */
import type { Log } from "@safelight/core"

const TELL_EACH_MS = 60_000

export type RefusedBecause = "connections" | "requests sent ahead"

/**
 * Counts each call by its reason, and tells the log of the first one; of those in the minute after it
 * with the next one that follows.
 */
export function createRefusedConnections(log: Log): (because: RefusedBecause) => void {
  const counts: Record<RefusedBecause, { refused: number; tellAt: number }> = {
    connections: { refused: 0, tellAt: 0 },
    "requests sent ahead": { refused: 0, tellAt: 0 },
  }
  return (because) => {
    const count = counts[because]
    count.refused += 1
    const now = performance.now()
    if (now < count.tellAt) return
    log.warn({ refused: count.refused, because }, "connections refused")
    counts[because] = { refused: 0, tellAt: now + TELL_EACH_MS }
  }
}
