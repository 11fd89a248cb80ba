/**
 * The time that a process may still work. It stands still while the process waits for the host, so that a
 * slow bucket makes no medium unreadable.
 */
import type { Clock } from "@safelight/core"

export interface WorkTime {
  /** Replaces the time that is left by `durationMs` from now on. */
  allow(durationMs: number): void
  pause(): void
  resume(): void
  /** For good. */
  stop(): void
}

export function createWorkTime(clock: Clock, onOver: () => void): WorkTime {
  let leftMs = 0
  let resumedAt = 0
  let waiting = new AbortController()

  async function waitUntilOver(durationMs: number, signal: AbortSignal): Promise<void> {
    await clock.wait(durationMs, signal)
    if (!signal.aborted) onOver()
  }

  function resume(): void {
    resumedAt = clock.monotonicNow()
    waiting = new AbortController()
    void waitUntilOver(Math.max(1, leftMs), waiting.signal)
  }

  return {
    allow(durationMs) {
      waiting.abort()
      leftMs = durationMs
      resume()
    },
    pause() {
      waiting.abort()
      leftMs -= clock.monotonicNow() - resumedAt
    },
    resume,
    stop: () => waiting.abort(),
  }
}
