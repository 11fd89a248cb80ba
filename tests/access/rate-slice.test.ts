/**
 * Rates counted in slices, held to the plainest GCRA there is: one count, asked for every request.
 * Several nodes never let through more than it would; one alone lets through exactly as much.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  NO_SLICE,
  planLease,
  takeFromSlice,
  toIntervalMicros,
  toRateStanding,
  toSteadyMoment,
  type LeasePlan,
  type RateSlice,
} from "@safelight/access"
import { type Rate } from "@safelight/core"
import * as fc from "fast-check"
import { check } from "../core/support/property.ts"

const START = 1_767_225_600_000_000
const SECOND = 1_000_000
const HOUR = 3_600 * SECOND

/** One count for everybody, as in the algorithm's definition. */
function createOracle(rate: Rate) {
  const interval = toIntervalMicros(rate)
  let arrival = 0
  return (now: number): boolean => {
    const next = Math.max(arrival, now) + interval
    if (next > now + rate.requests * interval) return false
    arrival = next
    return true
  }
}

/** A node that leases at once when it has to, as a limiter would with a storage that never waits. */
function createNode(rate: Rate, storage: { moment: number }) {
  let slice: RateSlice = NO_SLICE
  let leases = 0

  function lease(now: number, wanted: number): void {
    const plan = planLease({ rate, slice, stored: storage.moment, now, wanted })
    if (plan.to !== storage.moment) leases += 1
    storage.moment = plan.to
    slice = plan.slice
  }

  return {
    leases: () => leases,
    slice: () => slice,
    crash() {
      slice = NO_SLICE
    },
    request(now: number, wanted = 1): boolean {
      let taken = takeFromSlice(slice, rate, now)
      if (taken === "used-up") {
        lease(now, wanted)
        taken = takeFromSlice(slice, rate, now)
      }
      assert.notEqual(taken, "used-up", "a lease always leads to an answer")
      if (typeof taken === "string") return false
      slice = taken
      return true
    },
  }
}

const rates: fc.Arbitrary<Rate> = fc.record({
  requests: fc.integer({ min: 1, max: 12 }),
  windowMs: fc.constantFrom(1, 7, 100, 1_000, 60_000),
})

/** Up to three windows, in fractions of the interval as often as in whole ones. */
function toPause({ requests, windowMs }: Rate, part: number): number {
  return Math.floor((part * windowMs * 1000 * 3) / Math.max(1, requests))
}

const parts = fc.oneof(
  { arbitrary: fc.constant(0), weight: 3 },
  { arbitrary: fc.double({ min: 0, max: 1, noNaN: true }), weight: 3 },
  { arbitrary: fc.double({ min: 0, max: 12, noNaN: true }), weight: 1 },
)

describe("a slice of a rate", () => {
  it("lets a node alone through whenever the plain count would, and never else", (context) => {
    const steps = fc.array(fc.record({ part: parts, wanted: fc.integer({ min: 1, max: 30 }) }), {
      minLength: 1,
      maxLength: 80,
    })
    check(
      context,
      fc.property(rates, steps, (rate, given) => {
        const oracle = createOracle(rate)
        const node = createNode(rate, { moment: 0 })
        let now = START
        for (const { part, wanted } of given) {
          now += toPause(rate, part)
          assert.equal(node.request(now, wanted), oracle(now))
        }
      }),
    )
  })

  it("never lets several nodes that lease, wait, lose and crash through more than one count would", (context) => {
    const step = fc.record({
      node: fc.integer({ min: 0, max: 2 }),
      part: parts,
      times: fc.integer({ min: 1, max: 6 }),
      wanted: fc.integer({ min: 1, max: 30 }),
      what: fc.oneof(
        { arbitrary: fc.constantFrom("request", "begin", "end"), weight: 12 },
        { arbitrary: fc.constant("crash"), weight: 1 },
      ),
    })
    check(
      context,
      fc.property(rates, fc.array(step, { minLength: 10, maxLength: 120 }), (rate, steps) => {
        const [admitted = [], answered = []] = run(rate, steps)
        const all = createOracle(rate)
        const alone = createOracle(rate)
        for (const moment of admitted) assert.ok(alone(moment), `over-run at ${moment - START}`)
        // So in any window no more than a burst and the refill; and greed would gain nothing:
        const most = answered.filter((moment) => all(moment)).length
        assert.ok(admitted.length <= most, `${admitted.length} of ${most}`)
      }),
      1_000,
    )
  })

  it("never lets more through in a window than a burst and what the window refills", (context) => {
    const bursts = fc.array(
      fc.record({
        which: fc.integer({ min: 0, max: 2 }),
        part: parts,
        times: fc.integer({ min: 1, max: 6 }),
      }),
      { maxLength: 40 },
    )
    check(
      context,
      fc.property(rates, bursts, (rate, given) => {
        const storage = { moment: 0 }
        const nodes = [0, 1, 2].map(() => createNode(rate, storage))
        const admitted: number[] = []
        let now = START
        for (const { which, part, times } of given) {
          now += toPause(rate, part)
          for (let count = 0; count < times; count += 1) {
            if (nodes[which]?.request(now, 5) === true) admitted.push(now)
          }
        }
        const interval = toIntervalMicros(rate)
        for (const [first, from] of admitted.entries()) {
          for (const [last, to] of admitted.entries()) {
            if (last < first) continue
            const most = rate.requests + Math.floor((to - from) / interval)
            assert.ok(last - first + 1 <= most, `${last - first + 1} of ${most}`)
          }
        }
      }),
    )
  })

  it("is leased ahead for at most a second, and lets nobody through before its time", () => {
    const rate = { requests: 6_000, windowMs: 60_000 }
    const storage = { moment: START + 60 * SECOND - 10_000 }
    const node = createNode(rate, storage)
    assert.equal(node.request(START, 1_000), true)
    assert.equal(storage.moment, START + 61 * SECOND)
    const other = createNode(rate, storage)
    assert.equal(other.request(START, 1_000), false)
    assert.equal(storage.moment, START + 61.5 * SECOND)
    for (let slot = 1; slot <= 150; slot += 1) {
      const [first, second] = slot <= 100 ? [node, other] : [other, node]
      const now = START + slot * 10_000
      assert.equal(second.request(now - 1, 1_000), false, `${slot}`)
      assert.equal(first.request(now - 1, 1_000), false, `${slot}`)
      assert.equal(first.request(now, 1_000), true, `${slot}`)
    }
    assert.equal(other.leases(), 1)
  })

  for (const count of [1, 2, 3, 8]) {
    it(`is leased about once a second by each of ${count} under a flood, and shared`, () => {
      const rate = { requests: 6_000, windowMs: 60_000 }
      const storage = { moment: START + 60 * SECOND }
      const nodes = Array.from({ length: count }, () => ({
        node: createNode(rate, storage),
        admitted: 0,
        latest: START,
        longest: 0,
      }))
      const seconds = 60
      const end = START + seconds * SECOND
      // Always in the same order: who comes first must not take what another waits for.
      for (let now = START; now < end; now += 1_000) {
        for (const one of nodes) {
          if (!one.node.request(now, 100)) continue
          one.admitted += 1
          one.longest = Math.max(one.longest, now - one.latest)
          one.latest = now
        }
      }
      const fair = (100 * seconds) / count
      for (const { node, admitted, longest } of nodes) {
        assert.ok(admitted > fair * 0.8, `${admitted} of ${fair}`)
        assert.ok(longest <= 2 * SECOND + 10_000, `waited ${longest} microseconds`)
        assert.ok(node.leases() < seconds * 1.2, `${node.leases()} leases`)
      }
      const all = nodes.reduce((sum, { admitted }) => sum + admitted, 0)
      assert.ok(all <= 100 * seconds && all > 98 * seconds, `${all}`)
    })
  }

  it("tells what remains and when it is one more, to the microsecond", (context) => {
    check(
      context,
      fc.property(rates, fc.array(parts, { minLength: 1, maxLength: 40 }), (rate, given) => {
        const node = createNode(rate, { moment: 0 })
        let now = START
        for (const part of given) {
          now += toPause(rate, part)
          node.request(now)
          const { remaining, moreInMicros } = toRateStanding(node.slice(), rate, now)
          assert.ok(moreInMicros > 0)
          const earlier = toRateStanding(node.slice(), rate, now + moreInMicros - 1)
          const later = toRateStanding(node.slice(), rate, now + moreInMicros)
          assert.deepEqual([earlier.remaining, later.remaining], [remaining, remaining + 1])
          const after = createNode(rate, { moment: node.slice().at })
          for (let count = 0; count < remaining; count += 1) assert.ok(after.request(now))
          assert.equal(after.request(now), false)
        }
      }),
    )
  })

  it("is kept by a storage through a restart", () => {
    const rate = { requests: 3, windowMs: 3_000 }
    const storage = { moment: 0 }
    const before = createNode(rate, storage)
    assert.deepEqual(
      [0, 0, 0, 0].map(() => before.request(START)),
      [true, true, true, false],
    )
    const after = createNode(rate, storage)
    assert.equal(after.request(START + SECOND - 1), false)
    assert.equal(after.request(START + SECOND), true)
  })

  it("forfeits what a crashed node had leased, until it has been refilled", () => {
    const rate = { requests: 10, windowMs: 10_000 }
    const storage = { moment: 0 }
    const crashed = createNode(rate, storage)
    assert.ok(crashed.request(START, 10))
    crashed.crash()
    const other = createNode(rate, storage)
    assert.equal(other.request(START + SECOND - 1), false)
    assert.equal(other.request(START + SECOND), true)
    assert.equal(other.request(START + SECOND), false)
  })
})

describe("a rate's interval", () => {
  it("is rounded up, so that the rate is never exceeded", () => {
    assert.equal(toIntervalMicros({ requests: 60, windowMs: 60_000 }), SECOND)
    assert.equal(toIntervalMicros({ requests: 7, windowMs: 1_000 }), 142_858)
    assert.equal(toIntervalMicros({ requests: 5_000_000, windowMs: 1_000 }), 1)
  })
})

describe("a rate that was lowered", () => {
  it("waits for a bucket of the new rate, not for the old window to pass", () => {
    const storage = { moment: 0 }
    const before = createNode({ requests: 100, windowMs: 3_600_000 }, storage)
    for (let count = 0; count < 100; count += 1) assert.ok(before.request(START))
    assert.equal(storage.moment, START + HOUR)
    const rate = { requests: 5, windowMs: 5_000 }
    const after = createNode(rate, storage)
    assert.equal(after.request(START + 1), false)
    assert.equal(storage.moment, START + 1 + 5 * SECOND)
    assert.equal(after.request(START + SECOND), false)
    assert.equal(after.request(START + 1 + SECOND), true)
    assert.equal(after.request(START + 1 + SECOND), false)
  })

  it("that was raised gives its room at once", () => {
    const storage = { moment: 0 }
    const before = createNode({ requests: 2, windowMs: 2_000 }, storage)
    assert.deepEqual(
      [0, 0, 0].map(() => before.request(START)),
      [true, true, false],
    )
    const after = createNode({ requests: 10, windowMs: 2_000 }, storage)
    assert.equal(after.request(START), false)
    assert.equal(after.request(START + 200_000), true)
  })
})

describe("a clock that is set back", () => {
  const rate = { requests: 5, windowMs: 5_000 }

  it("by little is not followed until it has caught up", () => {
    assert.equal(toSteadyMoment(START, START - 1), START)
    assert.equal(toSteadyMoment(START, START - 10 * SECOND), START)
    assert.equal(toSteadyMoment(START, START - 10 * SECOND - 1), START - 10 * SECOND - 1)
    assert.equal(toSteadyMoment(START, START + 1), START + 1)
  })

  it("by much starts again with an empty bucket, on the node itself and on others", () => {
    const storage = { moment: 0 }
    const [node, other] = [createNode(rate, storage), createNode(rate, storage)]
    assert.ok(node.request(START, 5))
    const back = START - HOUR
    assert.equal(toSteadyMoment(START, back), back)
    assert.equal(node.request(back), false)
    assert.equal(storage.moment, back + 5 * SECOND)
    assert.equal(node.request(back + SECOND - 1), false)
    assert.equal(node.request(back + SECOND), true)
    assert.equal(other.request(back + SECOND), false)
  })

  it("on another node, by little, takes nothing away and gives nothing", () => {
    const storage = { moment: 0 }
    const [early, late] = [createNode(rate, storage), createNode(rate, storage)]
    for (let count = 0; count < 5; count += 1) assert.ok(early.request(START))
    assert.equal(late.request(START - 2 * SECOND), false)
    assert.equal(storage.moment, START + 5 * SECOND)
    assert.equal(late.leases(), 0)
    assert.equal(late.request(START + SECOND), true)
  })
})

interface Step {
  readonly node: number
  readonly part: number
  readonly times: number
  readonly wanted: number
  readonly what: string
}

interface Node {
  slice: RateSlice
  waiting: number
  plan: Planned | undefined
}

interface Planned {
  readonly from: number
  readonly now: number
  readonly next: LeasePlan
  /** Those who waited when it was planned. */
  readonly waiting: number
}

function toIdle(): Node {
  return { slice: NO_SLICE, waiting: 0, plan: undefined }
}

/**
 * Nodes on one storage; between a node's "begin", which reads and plans, and its "end", which
 * compares and sets, the others go on. Requests that waited count from the moment of the plan.
 */
function run(rate: Rate, steps: readonly Step[]) {
  const storage = { moment: 0 }
  const nodes = [0, 1, 2].map(() => toIdle())
  const admitted: number[] = []
  const answered: number[] = []
  let now = START

  /** Lets waiting requests through as of `moment`, until the slice is used up. */
  function serve(node: Node, moment: number, most: number): void {
    for (let count = 0; count < most; count += 1) {
      const taken = takeFromSlice(node.slice, rate, moment)
      if (taken === "used-up") return
      answered.push(moment)
      node.waiting -= 1
      if (taken === "refused") continue
      node.slice = taken
      admitted.push(moment)
    }
  }

  for (const { node: index, part, times, wanted, what } of steps) {
    now += toPause(rate, part)
    const node = nodes[index] as Node
    if (what === "crash") nodes[index] = toIdle()
    if (what === "request") {
      node.waiting += times
      serve(node, now, node.waiting)
    }
    if (what === "begin" && node.plan === undefined) {
      serve(node, now, node.waiting)
      const { slice, waiting } = node
      const next = planLease({ rate, slice, stored: storage.moment, now, wanted })
      if (waiting > 0) node.plan = { from: storage.moment, now, next, waiting }
    }
    if (what === "end" && node.plan !== undefined) {
      const { from, now: plannedAt, next, waiting } = node.plan
      node.plan = undefined
      if (storage.moment !== from) continue
      storage.moment = next.to
      node.slice = next.slice
      serve(node, plannedAt, waiting)
    }
  }
  return [admitted, answered].map((moments) => moments.toSorted((a, b) => a - b))
}
