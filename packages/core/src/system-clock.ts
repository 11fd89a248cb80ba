/**
 * The clock of the machine. Core sees no host, so that the host's own time and timers are handed in:
 * `createSystemClock(globalThis)`. A wait keeps the process alive until it ends or is aborted.
 */
import type { Clock } from "./ports/clock.ts"

/** What every host has under these names. */
export interface TimeHost<Timer> {
  readonly Date: { now(): number }
  readonly performance: { now(): number }
  setTimeout(callback: () => void, durationMs: number): Timer
  clearTimeout(timer: Timer): void
}

/** Timers hold at most a signed 32-bit count; a longer wait ends early and is waited again. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

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
        const timer = host.setTimeout(finish, Math.min(durationMs, LONGEST_WAIT_MS))
        signal?.addEventListener("abort", finish)
      })
    },
  }
}
