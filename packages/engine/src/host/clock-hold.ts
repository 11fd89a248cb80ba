/** A clock that runs ahead of what was seen of it: by how much it may, and for how long more is not accepted. */

/** Clocks of machines that are looked after differ by milliseconds; more than this is a fault. */
export const TOLERANCE_MS = 30_000

/** How long a jump of a clock is taken for a mistake: it can be set right in that time. */
const HOLD_MS = 3_600_000

/** What a clock showed, ms. */
export interface Sight {
  readonly at: number
  /** On the monotonic clock. */
  readonly seenAt: number
}

/** What the clock shows by `seenAt` if it continues as it was seen. */
export function toMoment(sight: Sight, seenAt: number): number {
  return Math.floor(sight.at + seenAt - sight.seenAt)
}

export interface Lead {
  /** By how much the clock is ahead, and by how much it may be. */
  readonly aheadMs: number
  readonly mayDifferMs: number
  /** On the monotonic clock. */
  readonly seenAt: number
}

export interface ClockHold {
  /** Whether the clock is too far ahead, and was not so for an hour. Calls `onBegin` when that begins. */
  isHeld(lead: Lead, onBegin: () => void): boolean
  /** The clock is accepted from now on. */
  end(): void
}

export function createClockHold(): ClockHold {
  /** Since when the clock is ahead, on the monotonic clock. */
  let heldSince: number | undefined
  return {
    isHeld({ aheadMs, mayDifferMs, seenAt }, onBegin) {
      const isAhead = aheadMs > mayDifferMs
      if (isAhead && heldSince === undefined) {
        heldSince = seenAt
        onBegin()
      }
      if (isAhead && seenAt - (heldSince ?? seenAt) < HOLD_MS) return true
      heldSince = undefined
      return false
    },
    end() {
      heldSince = undefined
    },
  }
}
