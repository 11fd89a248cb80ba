/**
 * Connections that are closed without an answer, because there are too many or because too much is sent
 * ahead on them. They are logged at most once a minute, so that a flood does not fill the log.
 */
import type { Log } from "@safelight/core"

const TELL_EACH_MS = 60_000

export type RefusedBecause = "connections" | "requests sent ahead"

/**
 * Counts each call by its reason and logs the first one. Those of the minute after it are counted and
 * logged with the next one that follows.
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
