/**
 * Request rates as they are counted: who is let through, and what the storage is asked. The
 * arithmetic itself is proved in rate-slice.test.ts, and what HTTP tells of it in
 * tests/adapters/http/limits.test.ts.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createAccess } from "@safelight/access"
import { NO_LIMITS, type Rate, type RateAnswer } from "@safelight/core"
import { createManualClock } from "@safelight/testkit"
import { createFakeService } from "../adapters/http/fake-service.ts"
import { ACCOUNT, createFakeStorage, type FakeStorage } from "../adapters/http/fake-storage.ts"

const MINUTE = { requests: 3, windowMs: 60_000 }
const PER_SECOND_100 = { requests: 6_000, windowMs: 60_000 }
const PER_SECOND_10 = { requests: 600, windowMs: 60_000 }
const START = 1_767_225_600_000_000

describe("a rate limiter", () => {
  it("answers at once where a slot is leased, and where none can be", async () => {
    const { take, takeNow, clock, rates } = createSample({ requests: 4, windowMs: 4_000 })
    const first = await together(3, take)
    assert.deepEqual(
      first.map(({ isWithin }) => isWithin),
      [true, true, true],
    )
    await take()
    const reads = rates.reads()
    const refused = takeNow()
    assert.ok(!(refused instanceof Promise))
    assert.deepEqual(refused, { isWithin: false, remaining: 0, moreInMs: 1_000 })
    await clock.advance(999)
    assert.ok(!(takeNow() instanceof Promise))
    assert.equal(rates.reads(), reads, "a flood of refusals does not ask the storage")
    await clock.advance(1)
    assert.equal((await take()).isWithin, true)
  })

  it("leases once for all who come together, and again for who comes too late", async () => {
    const { take, rates } = createSample({ requests: 1_000, windowMs: 1_000_000 })
    let late: ReturnType<typeof together> | undefined
    rates.before(() => {
      rates.before(undefined)
      late = together(20, take)
    })
    await together(100, take)
    assert.equal((await late)?.length, 20)
    assert.deepEqual([rates.reads(), rates.writes()], [2, 2])
  })

  it("leases for a steady caller about twice what a second uses", async () => {
    const { take, clock, rates } = createSample({ requests: 1_000, windowMs: 10_000 })
    for (let tenth = 0; tenth < 300; tenth += 1) {
      for (let count = 0; count < 3; count += 1) assert.ok((await take()).isWithin)
      await clock.advance(100)
    }
    // Of 900 requests; sixty at a time are what a rate of a hundred refills in 0.6 s.
    assert.ok(rates.writes() <= 60, `${rates.writes()} in 30 seconds`)
  })

  const loads: readonly Load[] = [
    { name: "a flood of 2,000 a second", rate: PER_SECOND_100, everyMs: 1, each: 2, most: 2 },
    { name: "a caller well below it", rate: PER_SECOND_100, everyMs: 140, each: 1, most: 2 },
    { name: "a poll each half second", rate: PER_SECOND_10, everyMs: 500, each: 1, most: 1.5 },
    {
      name: "a flood of a window of a second",
      rate: { requests: 100, windowMs: 1_000 },
      everyMs: 1,
      each: 2,
      most: 2,
    },
  ]
  for (const { name, rate, everyMs, each, most } of loads) {
    it(`writes about once a second for ${name}, and lets through what one count would`, async () => {
      const { take, clock, rates } = createSample(rate)
      const interval = (rate.windowMs * 1000) / rate.requests
      const warmMs = 4_200
      const forMs = 5_600
      let arrival = 0
      let before = 0
      for (let ms = 0; ms < warmMs + forMs; ms += everyMs) {
        if (ms <= warmMs) before = rates.writes()
        const now = clock.now() * 1000
        for (const { isWithin } of await together(each, take)) {
          const next = Math.max(arrival, now) + interval
          const isPlain = next <= now + rate.windowMs * 1000
          if (isPlain) arrival = next
          assert.equal(isWithin, isPlain, `after ${ms} ms`)
        }
        clock.jump(everyMs)
      }
      const perSecond = ((rates.writes() - before) * 1000) / forMs
      assert.ok(perSecond <= most, `${perSecond} writes a second`)
    })
  }

  it("shares a rate at its end with a node that comes later", async () => {
    const shared = createFakeStorage()
    const first = createSample(PER_SECOND_100, shared)
    const later = createSample(PER_SECOND_100, shared)
    let admitted = 0
    for (let ms = 0; ms < 20_000; ms += 5) {
      await together(10, first.take)
      const answers = ms < 10_000 ? [] : await together(10, later.take)
      for (const { isWithin } of answers) if (isWithin) admitted += 1
      for (const { clock } of [first, later]) clock.jump(5)
    }
    assert.ok(admitted > 400 && admitted < 600, `${admitted} of 1,000`)
  })

  it("answers those it leased for, however long the storage takes", async () => {
    const { take, clock, rates } = createSample({ requests: 1_000, windowMs: 1_000 })
    rates.before(() => (rates.writes() < 20 ? clock.advance(50) : undefined))
    const answers = await together(3, take)
    assert.ok(answers.every(({ isWithin }) => isWithin))
    assert.equal(rates.writes(), 1)
  })

  it("tries again where another node was quicker", async () => {
    const { take, rates, name } = createSample({ requests: 4, windowMs: 4_000 })
    let others = 0
    rates.before(() => {
      others += 1
      if (others > 2) return
      const moment = rates.moments.get(name) ?? START
      rates.moments.set(name, moment + 1_000_000)
    })
    assert.deepEqual(await take(), { isWithin: true, remaining: 1, moreInMs: 1_000 })
    assert.equal(rates.writes(), 3)
  })

  it("gives up, and lets nobody through, where others are always quicker", async () => {
    const { take, rates, name } = createSample({ requests: 1_000, windowMs: 1_000 })
    rates.before(() => {
      rates.moments.set(name, (rates.moments.get(name) ?? START) + 1)
    })
    await assert.rejects(take(), { code: "storage-unavailable", retryable: true })
    assert.equal(rates.writes(), 8)
    rates.before(undefined)
    assert.equal((await take()).isWithin, true)
  })

  it("rejects for all who waited, with a bug as it is, and serves the next", async () => {
    const { take, rates } = createSample({ requests: 9, windowMs: 9_000 })
    rates.fail(new TypeError("a bug"))
    const results = await Promise.allSettled(Array.from({ length: 5 }, take))
    for (const result of results) {
      assert.ok(result.status === "rejected" && result.reason instanceof TypeError)
    }
    rates.fail(undefined)
    assert.equal((await take()).isWithin, true)
  })

  it("drops what it had leased when the rate changes", async () => {
    const shared = createFakeStorage()
    const before = createSample({ requests: 10, windowMs: 10_000 }, shared)
    await together(5, before.take)
    await before.take()
    const leased = shared.rates.moments.get(before.name) ?? 0
    const answer = await before.takeAs(ACCOUNT, { requests: 10, windowMs: 20_000 })
    // The line is where it was; half an interval of the new rate is no request.
    const used = (leased - START) / 2_000_000
    assert.equal(answer.remaining, Math.floor(10 - used - 1))
  })

  it("forgets names that were not heard of lately, and never lets more through for it", async () => {
    const shared = createFakeStorage()
    const { takeAs, clock } = createSample(MINUTE, shared, 1)
    let admitted = 0
    for (let round = 0; round < 10; round += 1) {
      for (const account of ["a", "b", "c", "d"]) {
        const answer = await takeAs(account)
        if (account === "a" && answer.isWithin) admitted += 1
      }
    }
    assert.equal(admitted, 3)
    await clock.advance(60_000)
    assert.ok((await takeAs("a")).isWithin)
  })

  it("goes on by the time that passes while the clock is set back a little", async () => {
    const { take, clock } = createSample({ requests: 2, windowMs: 2_000 })
    assert.ok((await take()).isWithin)
    clock.jump(-9_000)
    assert.ok((await take()).isWithin)
    const refused = await take()
    assert.deepEqual(refused, { isWithin: false, remaining: 0, moreInMs: 1_000 })
    // A hundredth slower, until the clock has caught up.
    await clock.advance(1_010)
    assert.equal((await take()).isWithin, false)
    await clock.advance(1)
    assert.ok((await take()).isWithin)
    await clock.advance(1_000_000)
    for (const isWithin of [true, true, false]) {
      assert.equal((await take()).isWithin, isWithin)
    }
    await clock.advance(999)
    assert.equal((await take()).isWithin, false)
    await clock.advance(1)
    assert.ok((await take()).isWithin)
  })

  it("follows a clock that is set back by more, with an empty bucket", async () => {
    const { take, clock } = createSample({ requests: 2, windowMs: 2_000 })
    assert.ok((await take()).isWithin)
    clock.jump(-3_600_000)
    assert.equal((await take()).isWithin, false)
    await clock.advance(1_000)
    assert.ok((await take()).isWithin)
    assert.equal((await take()).isWithin, false)
  })
})

interface Load {
  readonly name: string
  readonly rate: Rate
  readonly everyMs: number
  /** Requests that come at once. */
  readonly each: number
  /** Writes a second. */
  readonly most: number
}

function createSample(rate: Rate, shared: FakeStorage = createFakeStorage(), cachedRates = 100) {
  const clock = createManualClock()
  const { storage, rates } = shared
  const { service } = createFakeService()
  const access = createAccess({ storage, service, clock, settings: { cachedRates } })
  async function takeAs(id: string, changed: Rate = rate): Promise<RateAnswer> {
    const answer = await takeNow(id, changed)
    assert.ok(answer)
    return answer
  }
  function takeNow(id: string, read: Rate = rate) {
    const account = { ...NO_LIMITS, id, createdAt: 0, rates: { ...NO_LIMITS.rates, read } }
    return access.rateLimit(account, "read")
  }
  return {
    clock,
    rates,
    name: `read ${ACCOUNT}`,
    take: () => takeAs(ACCOUNT),
    takeAs,
    takeNow: () => takeNow(ACCOUNT),
  }
}

/** Answers to requests that come in one go. */
function together(count: number, take: () => Promise<RateAnswer>): Promise<readonly RateAnswer[]> {
  return Promise.all(Array.from({ length: count }, take))
}
