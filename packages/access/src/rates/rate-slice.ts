/**
 * Request rates (http-decisions §7): GCRA, counted by several nodes at once. A rate is a line of time on
 * which each request takes one interval, never before its own moment and never further ahead than all
 * requests of the rate together. A node leases a slice of that line from the storage and counts within it,
 * so no two nodes count on the same time: a leased slice that is not used is lost, and more than the rate
 * is never let through. A slice may reach further ahead than requests may now; its end then lets nobody
 * through before its time. All moments are microseconds since the epoch.
 */
import type { Rate } from "@safelight/core"

/** A node's part of the line: its requests are let through from `at` up to `until`. */
export interface RateSlice {
  /** The start of the next request's interval, or its own moment if that is later. */
  readonly at: number
  /** The end of what is leased; the storage's moment was here or later. */
  readonly until: number
}

export const NO_SLICE: RateSlice = { at: 0, until: 0 }

export interface RateStanding {
  /** Requests that could be let through now, as far as the node knows. */
  readonly remaining: number
  /** When one more will remain; above 0, and at most an interval if any remains. */
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
  /** The storage's new moment; the old one if there is nothing to lease. */
  readonly to: number
  /** The node's slice once the storage has moved; requests are judged by it. */
  readonly slice: RateSlice
}

/**
 * How much clocks may differ. A moment further ahead than that was left by a longer window or a wrong
 * clock, and nobody should wait for it to pass.
 */
const TOLERATED_MICROS = 10_000_000

/**
 * How far beyond the latest moment all nodes together may lease, so that the storage is not asked for each
 * request once a rate is used up. A node takes half of what is free: alone it takes a second's worth, and
 * another node finds room after it.
 */
const AHEAD_MICROS = 2_000_000

/** The time that a request takes of the line, rounded up, so that the rate never is. */
export function toIntervalMicros({ requests, windowMs }: Rate): number {
  return Math.ceil((windowMs * 1000) / requests)
}

/**
 * Judges a request: the slice after it if it is let through, "refused" if the rate is used up for now, or
 * "used-up" if the storage has to be asked. `now` must not fall from call to call.
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

/** Plans a lease for a slice that is used up: at most the whole burst and half of what is free ahead. */
export function planLease({ rate, slice, stored, now, wanted }: LeaseRequest): LeasePlan {
  const latest = toLatest(rate, now)
  // The whole burst counts as taken: the rate is kept, and requests follow from here on.
  if (isUnreal(stored, latest)) return { to: latest, slice: { at: latest, until: latest } }
  const from = Math.max(stored, now)
  // No other node has leased since, so the rest of the slice can be kept.
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

/**
 * `course`, the moment that it would be had the clock not been set back, if `now` is behind it by no more than
 * clocks may differ; else `now`.
 */
export function toSteadyMoment(course: number, now: number): number {
  return now < course && course - now <= TOLERATED_MICROS ? course : now
}

/** How far ahead requests may be let through at `now`: all of them at once. */
function toLatest(rate: Rate, now: number): number {
  return now + rate.requests * toIntervalMicros(rate)
}

/** Whether the moment is further ahead than a lease and different clocks can explain. */
function isUnreal(moment: number, latest: number): boolean {
  return moment > latest + AHEAD_MICROS + TOLERATED_MICROS
}
