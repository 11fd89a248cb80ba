/**
 * How late the event loop is. Measured between one reading and the next, so two readers each see the time since
 * either of them: the period says how long that was.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import type { EventLoopFacts } from "@safelight/core"

/** A timer fires so often; what it is late by is the delay. */
const RESOLUTION_MS = 20
/** Fewer samples say nothing: then the measurement before is read again. */
const LEAST_PERIOD_MS = 1_000
const NANOSECONDS = 1_000_000

export interface EventLoopDelay {
  readonly read: () => EventLoopFacts
  readonly stop: () => void
}

export function createEventLoopDelay(clock: {
  readonly monotonicNow: () => number
}): EventLoopDelay {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  histogram.enable()
  let since = clock.monotonicNow()
  let latest: EventLoopFacts = { periodMs: 0, meanDelayMs: 0, p99DelayMs: 0, maxDelayMs: 0 }
  return {
    read() {
      const periodMs = clock.monotonicNow() - since
      if (periodMs < LEAST_PERIOD_MS || histogram.count === 0) return latest
      latest = {
        periodMs,
        meanDelayMs: toDelayMs(histogram.mean),
        p99DelayMs: toDelayMs(histogram.percentile(99)),
        maxDelayMs: toDelayMs(histogram.max),
      }
      histogram.reset()
      since += periodMs
      return latest
    },
    stop: () => void histogram.disable(),
  }
}

/** The histogram holds how long the timer took, which is never less than it was set to. */
function toDelayMs(nanoseconds: number): number {
  return Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS)
}
