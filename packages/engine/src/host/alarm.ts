/** A pause that can be cut short; a ring between two waits cuts the next one. */
import type { Clock } from "@safelight/core"

export interface Alarm {
  ring(): void
  /** Resolves after `durationMs`, or sooner with a ring. */
  wait(durationMs: number): Promise<void>
}

export function createAlarm(clock: Clock): Alarm {
  let rung = new AbortController()
  return {
    ring() {
      // An abort makes an exception with a stack, even when there was one before.
      if (!rung.signal.aborted) rung.abort()
    },
    async wait(durationMs) {
      await clock.wait(durationMs, rung.signal)
      if (rung.signal.aborted) rung = new AbortController()
    },
  }
}
