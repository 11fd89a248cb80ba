/**
 * The clock of rates. If the wall clock is set back, this one continues, or every busy account would have to
 * wait until the wall clock has caught up; it goes a little slower, so that it does catch up. A clock that is
 * set back by more than clocks may differ is followed.
 */
import type { Clock } from "@safelight/core"
import { toSteadyMoment } from "./rate-slice.ts"

/** Ten seconds are caught up in 17 minutes; until then waits are a hundredth too short. */
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
