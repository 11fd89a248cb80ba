/** By how much a clock may be ahead of what was seen of it, and for how long a clock that is more is not believed. */

/** Clocks of machines that are looked after differ by milliseconds; more than this is a fault. */
export const TOLERANCE_MS = 30_000

/** How long a jump of a clock is taken for a mistake: somebody can set it right in that time. */
export const HOLD_MS = 3_600_000
