/**
 * The machine's time, ten times as fast, for a service that does little but wait between its polls.
 * Deadlines come as much sooner, so it is not for one that renders or measures media.
 */
import { createSystemClock, type Clock } from "@safelight/core"

const TIMES = 10

export function createQuickClock(): Clock {
  const startedAt = Date.now()
  const since = performance.now()
  const passedMs = (): number => (performance.now() - since) * TIMES
  return createSystemClock({
    Date: { now: () => Math.floor(startedAt + passedMs()) },
    performance: { now: passedMs },
    setTimeout: (run, durationMs) => setTimeout(run, durationMs / TIMES),
    clearTimeout,
  })
}
