/** A wall clock that jumps on command; the monotonic clock and waits are the machine's own. */
import type { Clock } from "@safelight/core"
import { systemClock } from "@safelight/engine"

export interface FaultyClock extends Clock {
  /** Sets how far it is off. */
  jump(offsetMs: number): void
}

export function createFaultyClock(): FaultyClock {
  let offsetMs = 0
  return {
    ...systemClock,
    now: () => systemClock.now() + offsetMs,
    jump(changedMs) {
      offsetMs = changedMs
    },
  }
}
