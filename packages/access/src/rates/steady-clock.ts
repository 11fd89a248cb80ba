/**
 * The moment that rates are counted by. It goes on while the wall clock is set back, or every busy
 * account would wait until that has caught up; a little slower, so that it does catch up. Only a
 * clock that is set back by more than clocks may differ is followed.
 */
import type { Clock } from "@safelight/core"
import { toSteadyMoment } from "./rate-slice.ts"

/** Ten seconds are caught up in 17 minutes; what is told to wait is a hundredth short until then. */
const PACE = 0.99

/** Gives microseconds since the epoch. */
export function createSteadyClock(clock: Pick<Clock, "now" | "monotonicNow">): () => number {
  let ledAt = 0
  let monotonicThen = 0
  return () => {
    const monotonic = clock.monotonicNow() * 1000
    const wall = clock.now() * 1000
    const course = ledAt + Math.floor((monotonic - monotonicThen) * PACE)
    const moment = toSteadyMoment(course, wall)
    if (moment === wall) {
      ledAt = wall
      monotonicThen = monotonic
    }
    return moment
  }
}
