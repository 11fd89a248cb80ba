/**
 * Request rates at the door: who is let through, what is told, and what the storage is asked. The
 * arithmetic itself is proved in tests/core/rate.test.ts.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { AccountSettings, Rate, RatePolicy } from "@safelight/core"
import { createManualClock } from "@safelight/testkit"
import {
  createRateLimiter,
  type RateAnswer,
} from "../../../adapters/http/src/limits/rate-limiter.ts"
import { outside, putArtifact, taskId, toTask } from "./fake-service.ts"
import { ACCOUNT, createFakeStorage, type FakeStorage } from "./fake-storage.ts"
import { creation, createWorld, WORLDS, type World, type WorldOptions } from "./worlds.ts"

const TASK = `/v1/tasks/${taskId(1)}`
const MINUTE = { requests: 3, windowMs: 60_000 }
const PER_SECOND_100 = { requests: 6_000, windowMs: 60_000 }
const PER_SECOND_10 = { requests: 600, windowMs: 60_000 }
const START = 1_767_225_600_000_000

for (const kind of WORLDS) {
  describe(`a rate, ${kind}`, () => {
    it("is told on every answer, with what remains and when it is one more", async () => {
      await using world = await open(kind, { read: MINUTE })
      world.fake.put(toTask(taskId(1)))
      assert.deepEqual(await tell(world, TASK), [200, '"read";q=3;w=60', '"read";r=2;t=20', null])
      assert.deepEqual(await tell(world, `${TASK}0`), [
        404,
        '"read";q=3;w=60',
        '"read";r=1;t=20',
        null,
      ])
      await world.clock.advance(7_500)
      const head = await tell(world, "/v1/usage", "HEAD")
      assert.deepEqual(head, [200, '"read";q=3;w=60', '"read";r=0;t=13', null])
    })

    it("refuses with 429 and the seconds to wait, and lets through after them", async () => {
      await using world = await open(kind, { create: { requests: 2, windowMs: 5_000 } })
      for (const remaining of [1, 0]) {
        const response = await world.call("/v1/tasks", creation())
        assert.equal(response.status, 202)
        assert.match(response.headers.get("ratelimit") ?? "", new RegExp(`;r=${remaining};`))
      }
      const refused = await world.call("/v1/tasks", creation())
      const { error } = (await refused.json()) as { error: { code: string; type: string } }
      assert.deepEqual([error.code, error.type], ["rate_limit_exceeded", "rate_limit_error"])
      assert.deepEqual(toTold(refused), [429, '"create";q=2;w=5', '"create";r=0;t=3', "3"])
      assert.equal(world.fake.requests.length, 2)
      await world.clock.advance(2_499)
      assert.equal((await world.call("/v1/tasks", creation())).status, 429)
      await world.clock.advance(1)
      assert.equal((await world.call("/v1/tasks", creation())).status, 202)
    })

    it("goes along with the bytes of an artifact", async () => {
      await using world = await open(kind, { content: MINUTE })
      putArtifact(world.fake, Buffer.from("pixels"))
      const path = `${TASK}/artifacts/image_1/content`
      const response = await world.call(path)
      assert.equal(await response.text(), "pixels")
      assert.deepEqual(toTold(response), [200, '"content";q=3;w=60', '"content";r=2;t=20', null])
      assert.equal((await tell(world, path, "HEAD"))[2], '"content";r=1;t=20')
      await world.call(path)
      assert.equal((await tell(world, path))[0], 429)
    })

    it("admits exactly as many as it says of two hundred that come at once", async () => {
      await using world = await open(kind, { create: { requests: 50, windowMs: 3_600_000 } })
      assert.equal(await countAdmitted([world], 200), 50)
      assert.equal(world.fake.submitted.length, 50)
    })

    it("admits together on two nodes what one would alone", async () => {
      const shared = createFakeStorage()
      const rates = { create: { requests: 50, windowMs: 3_600_000 } }
      await using one = await open(kind, rates, { shared })
      await using other = await open(kind, rates, { shared })
      assert.equal(await countAdmitted([one, other], 120), 50)
    })

    it("is still used up after a restart", async () => {
      const shared = createFakeStorage()
      const before = await open(kind, { read: MINUTE }, { shared })
      for (const status of [200, 200, 200, 429]) {
        assert.equal((await tell(before, "/v1/usage"))[0], status)
      }
      await before.close()
      await using after = await open(kind, { read: MINUTE }, { shared })
      assert.equal((await tell(after, "/v1/usage"))[0], 429)
      await after.clock.advance(20_000)
      assert.equal((await tell(after, "/v1/usage"))[0], 200)
      assert.equal((await tell(after, "/v1/usage"))[0], 429)
    })
  })
}

describe("rates", () => {
  it("count each policy and each account alone", async () => {
    const once = { requests: 1, windowMs: 60_000 }
    await using world = await open("in process", { create: once, read: once, content: once })
    world.accounts.set({ rates: toRates({ read: once }) }, "account-b")
    const other = `Bearer ${world.keys.add({ account: "account-b" })}`
    const second = `Bearer ${world.keys.add()}`
    const calls: readonly (readonly [path: string, authorization: string, status: number])[] = [
      ["/v1/usage", `Bearer ${world.key}`, 200],
      ["/v1/usage", `Bearer ${world.key}`, 429],
      ["/v1/tasks", second, 429],
      [`${TASK}/artifacts/image_1/content`, second, 404],
      [`${TASK}/artifacts/image_1/content`, second, 429],
      ["/v1/usage", other, 200],
      ["/v1/usage", other, 429],
    ]
    for (const [path, authorization, status] of calls) {
      const response = await world.bare(path, { headers: { authorization } })
      assert.equal(response.status, status, path)
    }
    assert.equal((await world.call("/v1/tasks", creation())).status, 202)
  })

  it("cost an account without one nothing, and tell it nothing", async () => {
    await using world = await open("in process", { create: MINUTE })
    const response = await world.call("/v1/usage")
    assert.deepEqual(toTold(response), [200, null, null, null])
    assert.deepEqual([world.rates.reads(), world.rates.writes()], [0, 0])
  })

  it("that the storage can't count let nobody through", async () => {
    await using world = await open("in process", { create: MINUTE })
    for (const failure of [outside("storage-unavailable"), outside("outcome-unknown", 1_500)]) {
      world.rates.fail(failure)
      const response = await world.call("/v1/tasks", creation())
      const { error } = (await response.json()) as { error: { code: string } }
      assert.deepEqual([response.status, error.code], [503, "service_unavailable"])
      assert.equal(response.headers.get("ratelimit"), null)
      assert.notEqual(response.headers.get("retry-after"), null)
    }
    assert.equal(world.fake.requests.length, 0)
    world.rates.fail(undefined)
    assert.equal((await world.call("/v1/tasks", creation())).status, 202)
  })

  it("are counted on with what was leased while the storage fails", async () => {
    await using world = await open("in process", { read: { requests: 100, windowMs: 100_000 } })
    const calls = Array.from({ length: 10 }, () => tell(world, "/v1/usage"))
    await Promise.all(calls)
    await tell(world, "/v1/usage")
    const leased = world.rates.moments.get(`read ${ACCOUNT}`) ?? 0
    world.rates.fail(outside("storage-unavailable"))
    const left = (leased - world.clock.now() * 1000) / 1_000_000 - 11
    assert.ok(left > 0, "more was leased than was asked for")
    for (let count = 0; count < left; count += 1) {
      assert.equal((await tell(world, "/v1/usage"))[0], 200)
    }
    assert.equal((await tell(world, "/v1/usage"))[0], 503)
  })

  it("take the account's new rate once the key is looked up again", async () => {
    await using world = await open("in process", { read: { requests: 1, windowMs: 60_000 } })
    assert.equal((await tell(world, "/v1/usage"))[0], 200)
    assert.equal((await tell(world, "/v1/usage"))[0], 429)
    world.accounts.set({ rates: toRates({ read: null }) })
    assert.equal((await tell(world, "/v1/usage"))[0], 429)
    await world.clock.advance(1_000)
    assert.deepEqual(await tell(world, "/v1/usage"), [200, null, null, null])
  })

  it("are counted before anything else is looked at, and after who calls", async () => {
    await using world = await open("in process", { read: { requests: 1, windowMs: 60_000 } })
    const headers = { authorization: `Bearer ${world.keys.add({ scopes: [] })}` }
    assert.deepEqual(toTold(await world.bare("/v1/usage", { headers })), [403, null, null, null])
    assert.equal((await world.call("/v1/usage?other=1")).status, 400)
    assert.equal((await world.call("/v1/usage?other=1")).status, 429)
  })
})

describe("a rate limiter", () => {
  it("answers at once where a slot is leased, and where none can be", async () => {
    const { take, clock, rates } = createSample({ requests: 4, windowMs: 4_000 })
    const first = await together(3, take)
    assert.deepEqual(
      first.map(({ isAdmitted }) => isAdmitted),
      [true, true, true],
    )
    await take()
    const reads = rates.reads()
    const refused = take()
    assert.ok(!(refused instanceof Promise))
    assert.deepEqual(refused, { isAdmitted: false, remaining: 0, moreInMicros: 1_000_000 })
    await clock.advance(999)
    assert.ok(!(take() instanceof Promise))
    assert.equal(rates.reads(), reads, "a flood of refusals does not ask the storage")
    await clock.advance(1)
    assert.equal((await take()).isAdmitted, true)
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
      for (let count = 0; count < 3; count += 1) assert.ok((await take()).isAdmitted)
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
        for (const { isAdmitted } of await together(each, take)) {
          const next = Math.max(arrival, now) + interval
          const isPlain = next <= now + rate.windowMs * 1000
          if (isPlain) arrival = next
          assert.equal(isAdmitted, isPlain, `after ${ms} ms`)
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
      for (const { isAdmitted } of answers) if (isAdmitted) admitted += 1
      for (const { clock } of [first, later]) clock.jump(5)
    }
    assert.ok(admitted > 400 && admitted < 600, `${admitted} of 1,000`)
  })

  it("answers those it leased for, however long the storage takes", async () => {
    const { take, clock, rates } = createSample({ requests: 1_000, windowMs: 1_000 })
    rates.before(() => (rates.writes() < 20 ? clock.advance(50) : undefined))
    const answers = await together(3, take)
    assert.ok(answers.every(({ isAdmitted }) => isAdmitted))
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
    assert.deepEqual(await take(), { isAdmitted: true, remaining: 1, moreInMicros: 1_000_000 })
    assert.equal(rates.writes(), 3)
  })

  it("gives up, and lets nobody through, where others are always quicker", async () => {
    const { take, rates, name } = createSample({ requests: 1_000, windowMs: 1_000 })
    rates.before(() => {
      rates.moments.set(name, (rates.moments.get(name) ?? START) + 1)
    })
    await assert.rejects(async () => take(), { code: "storage-unavailable", retryable: true })
    assert.equal(rates.writes(), 8)
    rates.before(undefined)
    assert.equal((await take()).isAdmitted, true)
  })

  it("rejects for all who waited, with a bug as it is, and serves the next", async () => {
    const { take, rates } = createSample({ requests: 9, windowMs: 9_000 })
    rates.fail(new TypeError("a bug"))
    const results = await Promise.allSettled(Array.from({ length: 5 }, async () => take()))
    for (const result of results) {
      assert.ok(result.status === "rejected" && result.reason instanceof TypeError)
    }
    rates.fail(undefined)
    assert.equal((await take()).isAdmitted, true)
  })

  it("drops what it had leased when the rate changes", async () => {
    const shared = createFakeStorage()
    const before = createSample({ requests: 10, windowMs: 10_000 }, shared)
    await together(5, before.take)
    await before.take()
    const leased = shared.rates.moments.get(before.name) ?? 0
    const { limiter, of } = before
    const changed = { requests: 10, windowMs: 20_000 }
    const answer = await limiter.take(of, changed)
    // The line is where it was; half an interval of the new rate is no request.
    const used = (leased - START) / 2_000_000
    assert.equal(answer.remaining, Math.floor(10 - used - 1))
  })

  it("forgets names that were not heard of lately, and never lets more through for it", async () => {
    const shared = createFakeStorage()
    const { limiter, clock } = createSample(MINUTE, shared, 1)
    let admitted = 0
    for (let round = 0; round < 10; round += 1) {
      for (const account of ["a", "b", "c", "d"]) {
        const answer = await limiter.take({ account, policy: "read" }, MINUTE)
        if (account === "a" && answer.isAdmitted) admitted += 1
      }
    }
    assert.equal(admitted, 3)
    await clock.advance(60_000)
    assert.ok((await limiter.take({ account: "a", policy: "read" }, MINUTE)).isAdmitted)
  })

  it("goes on by the time that passes while the clock is set back a little", async () => {
    const { take, clock } = createSample({ requests: 2, windowMs: 2_000 })
    assert.ok((await take()).isAdmitted)
    clock.jump(-9_000)
    assert.ok((await take()).isAdmitted)
    const refused = await take()
    assert.deepEqual(refused, { isAdmitted: false, remaining: 0, moreInMicros: 1_000_000 })
    // A hundredth slower, until the clock has caught up.
    await clock.advance(1_010)
    assert.equal((await take()).isAdmitted, false)
    await clock.advance(1)
    assert.ok((await take()).isAdmitted)
    await clock.advance(1_000_000)
    for (const isAdmitted of [true, true, false]) {
      assert.equal((await take()).isAdmitted, isAdmitted)
    }
    await clock.advance(999)
    assert.equal((await take()).isAdmitted, false)
    await clock.advance(1)
    assert.ok((await take()).isAdmitted)
  })

  it("follows a clock that is set back by more, with an empty bucket", async () => {
    const { take, clock } = createSample({ requests: 2, windowMs: 2_000 })
    assert.ok((await take()).isAdmitted)
    clock.jump(-3_600_000)
    assert.equal((await take()).isAdmitted, false)
    await clock.advance(1_000)
    assert.ok((await take()).isAdmitted)
    assert.equal((await take()).isAdmitted, false)
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
  const limiter = createRateLimiter({ storage, clock, settings: { cachedRates } })
  const of = { account: ACCOUNT, policy: "read" } as const
  return { limiter, of, clock, rates, name: `read ${ACCOUNT}`, take: () => limiter.take(of, rate) }
}

/** Answers to requests that come in one go. */
function together(
  count: number,
  take: () => RateAnswer | Promise<RateAnswer>,
): Promise<readonly RateAnswer[]> {
  return Promise.all(Array.from({ length: count }, async () => take()))
}

function toRates(rates: Partial<Record<RatePolicy, Rate | null>>): AccountSettings["rates"] {
  return { create: null, read: null, content: null, ...rates }
}

async function open(
  kind: (typeof WORLDS)[number],
  rates: Partial<Record<RatePolicy, Rate>>,
  options?: WorldOptions,
): Promise<World & AsyncDisposable> {
  const world = await createWorld(kind, options)
  world.accounts.set({ rates: toRates(rates) })
  return { ...world, [Symbol.asyncDispose]: () => world.close() }
}

type Told = readonly [
  status: number,
  policy: string | null,
  left: string | null,
  after: string | null,
]

async function tell(world: World, path: string, method = "GET"): Promise<Told> {
  const response = await world.call(path, { method })
  await response.arrayBuffer()
  return toTold(response)
}

function toTold({ status, headers }: Response): Told {
  // An unfinished task says when to poll; that is not about rates.
  const after = status === 429 ? headers.get("retry-after") : null
  const left = headers.get("ratelimit")
  return [status, headers.get("ratelimit-policy"), left, after]
}

/** Creations that were accepted, of `count` sent to each world at once; all others are 429. */
async function countAdmitted(worlds: readonly World[], count: number): Promise<number> {
  const calls = worlds.flatMap((world) =>
    Array.from({ length: count }, async () => (await world.call("/v1/tasks", creation())).status),
  )
  const statuses = await Promise.all(calls)
  const admitted = statuses.filter((status) => status === 202).length
  assert.equal(statuses.filter((status) => status === 429).length, statuses.length - admitted)
  return admitted
}
