/**
 * The clock that every other test stands on: what it fires, when, in which order, and what its
 * reactions see. Nothing here takes time.
 */
import assert from "node:assert/strict"
import { test } from "node:test"
import { createManualClock, type ManualClock } from "@safelight/testkit"
import * as fc from "fast-check"

/** Notes when each wait resolves, by the clock itself. */
async function note(
  clock: ManualClock,
  log: string[],
  name: string,
  durationMs: number,
): Promise<void> {
  await clock.wait(durationMs)
  log.push(`${name}@${clock.monotonicNow()}`)
}

/** Whether promise reactions alone resolve `work`, which no await could tell. */
async function isResolved(work: Promise<void>): Promise<boolean> {
  let resolved = false
  void work.then(() => (resolved = true))
  await new Promise(setImmediate)
  return resolved
}

test("a clock starts at the moment it is given and stands still", async () => {
  const clock = createManualClock({ now: 5_000 })
  await new Promise(setImmediate)
  assert.equal(clock.now(), 5_000)
  assert.equal(clock.monotonicNow(), createManualClock().monotonicNow())
})

test("two clocks made without options agree", () => {
  assert.equal(createManualClock().now(), createManualClock().now())
})

test("advancing moves the wall clock and the monotonic clock alike", async () => {
  const clock = createManualClock({ now: 5_000 })
  const startMs = clock.monotonicNow()
  await clock.advance(250)
  assert.equal(clock.now(), 5_250)
  assert.equal(clock.monotonicNow() - startMs, 250)
})

test("a jump moves the wall clock alone, back too, and fires nothing", async () => {
  const clock = createManualClock({ now: 5_000 })
  const log: string[] = []
  void note(clock, log, "a", 10)
  clock.jump(1_000_000)
  await clock.advance(9)
  assert.equal(clock.now(), 1_005_009)
  assert.deepEqual(log, [])
  clock.jump(-1_000_000)
  await clock.advance(1)
  assert.equal(clock.now(), 5_010)
  assert.deepEqual(log, ["a@10"])
})

test("waits fire at their own moments, in order of due time, then of registration", async () => {
  const clock = createManualClock()
  const log: string[] = []
  void note(clock, log, "late", 30)
  void note(clock, log, "early", 10)
  void note(clock, log, "early too", 10)
  void note(clock, log, "never", 31)
  await clock.advance(30)
  assert.deepEqual(log, ["early@10", "early too@10", "late@30"])
  assert.equal(clock.pendingWaits(), 1)
})

test("a wait that a reaction registers fires within the same advance", async () => {
  const clock = createManualClock()
  const log: string[] = []
  async function tick(): Promise<void> {
    await note(clock, log, "tick", 10)
    await tick()
  }
  void tick()
  void note(clock, log, "between", 15)
  await clock.advance(30)
  assert.deepEqual(log, ["tick@10", "between@15", "tick@20", "tick@30"])
})

test("long chains of reactions run to their end between two waits", async () => {
  const clock = createManualClock()
  const log: string[] = []
  async function chain(): Promise<void> {
    await clock.wait(10)
    for (let link = 0; link < 100; link += 1) await Promise.resolve()
    log.push(`chain@${clock.monotonicNow()}`)
  }
  void chain()
  void note(clock, log, "next", 11)
  await clock.advance(20)
  assert.deepEqual(log, ["chain@10", "next@11"])
})

test("advances called at once add up", async () => {
  const clock = createManualClock({ now: 0 })
  const log: string[] = []
  void note(clock, log, "a", 15)
  await Promise.all([clock.advance(10), clock.advance(10)])
  assert.equal(clock.now(), 20)
  assert.deepEqual(log, ["a@15"])
})

test("a wait of nothing resolves without an advance", async () => {
  const clock = createManualClock()
  assert.ok(await isResolved(clock.wait(0)))
  assert.ok(await isResolved(clock.wait(-5)))
  assert.equal(clock.pendingWaits(), 0)
})

test("an aborted wait resolves at once and leaves nothing behind", async () => {
  const clock = createManualClock()
  const controller = new AbortController()
  const waiting = clock.wait(10, controller.signal)
  assert.ok(!(await isResolved(waiting)))
  assert.equal(clock.pendingWaits(), 1)
  controller.abort()
  assert.ok(await isResolved(waiting))
  assert.equal(clock.pendingWaits(), 0)
  assert.ok(await isResolved(clock.wait(10, controller.signal)))
})

test("a wait that fired no longer listens to its signal", async () => {
  const clock = createManualClock()
  const listeners = new Set<() => void>()
  const waiting = clock.wait(10, {
    aborted: false,
    addEventListener: (_type, listener) => void listeners.add(listener),
    removeEventListener: (_type, listener) => void listeners.delete(listener),
  })
  assert.equal(listeners.size, 1)
  await clock.advance(10)
  assert.ok(await isResolved(waiting))
  assert.equal(listeners.size, 0)
})

test("what is no duration is refused", () => {
  const clock = createManualClock()
  for (const durationMs of [-1, NaN, Infinity]) {
    assert.throws(() => clock.advance(durationMs), RangeError)
  }
  assert.throws(() => clock.jump(0.5), RangeError)
  assert.throws(() => clock.wait(NaN), RangeError)
  assert.throws(() => createManualClock({ now: 0.5 }), RangeError)
})

test("now is an integer after a wait of a fraction", async () => {
  const clock = createManualClock({ now: 100 })
  await clock.advance(0.75)
  assert.equal(clock.now(), 100)
  await clock.advance(0.75)
  assert.equal(clock.now(), 101)
})

test("however the time is cut up, the same waits fire at the same moments", async () => {
  const durations = fc.array(fc.nat({ max: 50 }), { maxLength: 10 })
  await fc.assert(
    fc.asyncProperty(durations, durations, async (waits, steps) => {
      const log = async (advances: readonly number[]): Promise<string[]> => {
        const clock = createManualClock()
        const fired: string[] = []
        waits.forEach((durationMs, index) => void note(clock, fired, `${index}`, durationMs))
        for (const step of advances) await clock.advance(step)
        return fired
      }
      const whole = steps.reduce((sum, step) => sum + step, 0)
      assert.deepEqual(await log(steps), await log([whole]))
    }),
  )
})
