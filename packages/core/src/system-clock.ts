/**
 * The clock of the machine. Core sees no host, so that the host's own time and timers are handed in:
 * `createSystemClock(globalThis)`. A wait keeps the process alive until it ends or is aborted.
 */
import { LONGEST_TIMER_MS } from "./options/integer-options.ts"
import type { Clock } from "./ports/clock.ts"

/** What every host has under these names. */
export interface TimeHost<Timer> {
  readonly Date: { now(): number }
  readonly performance: { now(): number }
  setTimeout(callback: () => void, durationMs: number): Timer
  clearTimeout(timer: Timer): void
}

export function createSystemClock<Timer>(host: TimeHost<Timer>): Clock {
  return {
    now: () => host.Date.now(),
    monotonicNow: () => host.performance.now(),
    wait(durationMs, signal) {
      if (signal?.aborted === true) return Promise.resolve()
      return new Promise((resolve) => {
        const finish = (): void => {
          host.clearTimeout(timer)
          signal?.removeEventListener("abort", finish)
          resolve()
        }
        // A longer wait ends early and is waited again.
        const timer = host.setTimeout(finish, Math.min(durationMs, LONGEST_TIMER_MS))
        signal?.addEventListener("abort", finish)
      })
    },
  }
}
