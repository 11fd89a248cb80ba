/**
 * Request rates (http-decisions §7): GCRA, counted by several nodes at once. A rate is a line of
 * time on which each request takes one interval, never before its own moment and never further
 * ahead than all requests together. A node leases a stretch of that line from the storage and
 * counts inside of it alone, so nodes never count on the same time: what is leased and not used is
 * lost, and more than the rate is never let through. A stretch may reach further than requests may
 * now: its end lets nobody through before its time. All moments are microseconds since the epoch.
 */
import type { Rate } from "@safelight/core"

/** A node's stretch of the line: its requests are let through from `at` up to `until`. */
export interface RateSlice {
  /** Where the next request's interval begins, if its own moment has not passed that. */
  readonly at: number
  /** What is leased ends here; the storage's moment was here or further on. */
  readonly until: number
}

export const NO_SLICE: RateSlice = { at: 0, until: 0 }

export interface RateStanding {
  /** Requests that could be let through now, as far as the node knows. */
  readonly remaining: number
  /** When it will be one more; above 0, at most an interval where something remains. */
  readonly moreInMicros: number
}

export interface LeaseRequest {
  readonly rate: Rate
  readonly slice: RateSlice
  /** The storage's moment. */
  readonly stored: number
  readonly now: number
  /** Requests to lease for, at least 1. */
  readonly wanted: number
}

export interface LeasePlan {
  /** Where the storage's moment has to go; as stored where there is nothing to move. */
  readonly to: number
  /** The node's stretch once it is there; what is let through or refused follows from it. */
  readonly slice: RateSlice
}

/**
 * What clocks may differ by. A moment further ahead than that is left over from a longer window,
 * or from a clock that was wrong, and nobody should wait for it to pass.
 */
const TOLERATED_MICROS = 10_000_000

/**
 * How far past the latest moment all nodes together lease, so that a rate at its end is not asked
 * for each request. A node takes half of what is free: one alone a second, and whoever comes finds
 * room behind it.
 */
const AHEAD_MICROS = 2_000_000

/** The time that a request takes of the line, rounded up, so that the rate never is. */
export function toIntervalMicros({ requests, windowMs }: Rate): number {
  return Math.ceil((windowMs * 1000) / requests)
}

/**
 * Lets a request through: the slice after it, or "refused" where the time of what is left has not
 * come, or "used-up" where the storage has to be asked. `now` must not fall from call to call.
 */
export function takeFromSlice(
  slice: RateSlice,
  rate: Rate,
  now: number,
): RateSlice | "refused" | "used-up" {
  const latest = toLatest(rate, now)
  if (isUnreal(slice.until, latest)) return "used-up"
  const at = Math.max(slice.at, now) + toIntervalMicros(rate)
  if (at > latest) return "refused"
  return at <= slice.until ? { at, until: slice.until } : "used-up"
}

/** What to lease for a slice that is used up; where much is wanted, the bucket and half of what is ahead. */
export function planLease({ rate, slice, stored, now, wanted }: LeaseRequest): LeasePlan {
  const latest = toLatest(rate, now)
  // All that could be taken counts as taken: the rate is held, and time runs from here on.
  if (isUnreal(stored, latest)) return { to: latest, slice: { at: latest, until: latest } }
  const from = Math.max(stored, now)
  // Nobody has leased since: what is left at the end of the slice is not lost.
  const at = stored === slice.until ? Math.max(slice.at, now) : from
  const interval = toIntervalMicros(rate)
  const end = Math.max(from, latest)
  const free = Math.floor(Math.max(0, latest + AHEAD_MICROS - end) / interval)
  const to = Math.min(from + wanted * interval, end + Math.ceil(free / 2) * interval)
  if (at + interval > to) return { to: stored, slice: { at, until: stored } }
  return { to, slice: { at, until: to } }
}

export function toRateStanding(slice: RateSlice, rate: Rate, now: number): RateStanding {
  const interval = toIntervalMicros(rate)
  const free = toLatest(rate, now) - Math.max(slice.at, now)
  const remaining = Math.max(0, Math.floor(free / interval))
  return { remaining, moreInMicros: (remaining + 1) * interval - free }
}

/** `now`, or where time's own course has come to if the clock is behind by as little as clocks may differ. */
export function toSteadyMoment(course: number, now: number): number {
  return now < course && course - now <= TOLERATED_MICROS ? course : now
}

/** How far ahead requests may be let through at `now`: all of them at once. */
function toLatest(rate: Rate, now: number): number {
  return now + rate.requests * toIntervalMicros(rate)
}

/** Whether a stretch can't end there, whatever clocks differ by. */
function isUnreal(moment: number, latest: number): boolean {
  return moment > latest + AHEAD_MICROS + TOLERATED_MICROS
}
