/**
 * Counts requests against rates, in memory, within slices that are leased from the storage. A request that
 * the slice covers is answered at once; otherwise a lease is being taken and all requests of the rate wait
 * for it. If the storage fails, nobody is let through. Creations are counted here too, and not in the commit
 * that adds the task: a 429 comes before the body is read, and reads and downloads have no commit.
 */
import {
  createBoundedCache,
  isSafelightError,
  SafelightError,
  type Clock,
  type Account,
  type Access,
  type Rate,
  type RateAnswer,
  type RateName,
  type RatePolicy,
  type RateStorage,
} from "@safelight/core"
import type { AccessSettings } from "../settings/defaults.ts"
import { NO_SLICE, planLease, takeFromSlice, toRateStanding, type RateSlice } from "./rate-slice.ts"
import { createSteadyClock } from "./steady-clock.ts"

export interface RateLimiterOptions {
  readonly storage: Pick<RateStorage, "readRate" | "advanceRate">
  readonly clock: Pick<Clock, "now" | "monotonicNow">
  readonly settings: Pick<AccessSettings, "cachedRates">
}

/** Another node was quicker each time: with so many of them at once, one gives up. */
const MAX_ATTEMPTS = 8

interface Waiter {
  readonly resolve: (answer: RateAnswer) => void
  readonly reject: (error: unknown) => void
}

interface Counter {
  readonly name: RateName
  readonly rate: Rate
  slice: RateSlice
  /** Seconds since the epoch: the second that `used` counts. */
  second: number
  /** Requests of this second, and of the one before it. */
  used: number
  usedBefore: number
  isLeasing: boolean
  readonly waiting: Waiter[]
}

export function createRateLimiter(options: RateLimiterOptions): Access["rateLimit"] {
  const { storage, settings } = options
  const counters = createBoundedCache<Counter>(settings.cachedRates)
  const toNow = createSteadyClock(options.clock)

  async function serve(counter: Counter): Promise<void> {
    counter.isLeasing = true
    for (;;) {
      answerWaiting(counter, toNow(), counter.waiting.length)
      if (counter.waiting.length === 0) break
      try {
        // oxlint-disable-next-line no-await-in-loop -- one lease at a time
        await lease(counter)
      } catch (error) {
        for (const { reject } of counter.waiting.splice(0)) reject(toUnavailable(error))
      }
    }
    counter.isLeasing = false
  }

  /* oxlint-disable no-await-in-loop -- an attempt follows from how the last one failed */
  async function lease(counter: Counter): Promise<void> {
    const { name, rate } = counter
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const stored = await storage.readRate(name)
      const now = toNow()
      const { slice } = counter
      const { length } = counter.waiting
      const wanted = toWanted(counter, now)
      const plan = planLease({ rate, slice, stored, now, wanted })
      const { to } = plan
      if (to !== stored && !(await storage.advanceRate({ ...name, from: stored, to }))) continue
      counter.slice = plan.slice
      // Judged at the moment of the plan: while the storage was asked, time went on.
      answerWaiting(counter, now, length)
      return
    }
    throw new SafelightError({
      code: "storage-unavailable",
      message: "a rate's moment was moved by others each time",
      retryable: true,
      retryAfterMs: 1_000,
    })
  }
  /* oxlint-enable no-await-in-loop */

  return (account: Account, policy: RatePolicy) => {
    const rate = account.rates[policy]
    if (rate === null) return undefined
    const counter = findCounter(counters, { account: account.id, policy }, rate)
    const answer = answerNow(counter, toNow())
    if (answer !== undefined) return answer
    return new Promise<RateAnswer>((resolve, reject) => {
      counter.waiting.push({ resolve, reject })
      if (!counter.isLeasing) void serve(counter)
    })
  }
}

/** If the rate has changed, what was leased is dropped. */
function findCounter(counters: BoundedCounters, name: RateName, rate: Rate): Counter {
  const key = `${name.policy} ${name.account}`
  const known = counters.get(key)
  if (known !== undefined && isSame(known.rate, rate)) return known
  const counter: Counter = {
    name,
    rate,
    slice: NO_SLICE,
    second: 0,
    used: 0,
    usedBefore: 0,
    isLeasing: false,
    waiting: [],
  }
  counters.set(key, counter)
  return counter
}

type BoundedCounters = ReturnType<typeof createBoundedCache<Counter>>

function isSame(one: Rate, other: Rate): boolean {
  return one.requests === other.requests && one.windowMs === other.windowMs
}

/** The answer of the slice alone; undefined if the storage has to be asked. */
function answerNow(counter: Counter, now: number): RateAnswer | undefined {
  const { rate } = counter
  const taken = takeFromSlice(counter.slice, rate, now)
  if (taken === "used-up") return undefined
  if (taken !== "refused") {
    counter.slice = taken
    turnSecond(counter, now)
    counter.used += 1
  }
  const { remaining, moreInMicros } = toRateStanding(counter.slice, rate, now)
  return { isWithin: taken !== "refused", remaining, moreInMs: Math.ceil(moreInMicros / 1_000) }
}

/** Answers up to `most` of those that wait, in their order, as far as the slice covers them. */
function answerWaiting(counter: Counter, now: number, most: number): void {
  const answers: RateAnswer[] = []
  while (answers.length < most) {
    const answer = answerNow(counter, now)
    if (answer === undefined) break
    answers.push(answer)
  }
  const answered = counter.waiting.splice(0, answers.length)
  for (const [index, { resolve }] of answered.entries()) resolve(answers[index] as RateAnswer)
}

/** How many requests to lease for: all that wait, and those of the second after this one. */
function toWanted(counter: Counter, now: number): number {
  turnSecond(counter, now)
  const { rate, used, usedBefore, waiting } = counter
  // Under a high rate, rare requests would each find their slice expired. A second's worth, or a
  // sixtieth of a window below a minute, is nothing that other nodes would miss.
  const least = Math.floor(rate.requests / Math.max(60, rate.windowMs / 1000))
  return Math.max(waiting.length, 2 * Math.max(used, usedBefore), least)
}

function turnSecond(counter: Counter, now: number): void {
  const second = Math.floor(now / 1_000_000)
  if (second === counter.second) return
  counter.usedBefore = second === counter.second + 1 ? counter.used : 0
  counter.used = 0
  counter.second = second
}

/** Whatever the storage failed with, the request was not served: that is all that callers are to see. */
function toUnavailable(error: unknown): unknown {
  if (!isSafelightError(error) || error.code === "storage-unavailable") return error
  const message = "a request's rate could not be counted"
  return new SafelightError({ code: "storage-unavailable", message, retryable: true, cause: error })
}
