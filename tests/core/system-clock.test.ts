/** The clock of the machine, over a host whose timers a test fires by hand. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createSystemClock, type Clock } from "@safelight/core"

interface Timer {
  readonly fire: () => void
  readonly durationMs: number
}

function createHost(): { readonly clock: Clock; readonly timers: ReadonlySet<Timer> } {
  const timers = new Set<Timer>()
  const clock = createSystemClock<Timer>({
    Date: { now: () => 1_000 },
    performance: { now: () => 7 },
    setTimeout(fire, durationMs) {
      const timer = { fire, durationMs }
      timers.add(timer)
      return timer
    },
    clearTimeout: (timer) => void timers.delete(timer),
  })
  return { clock, timers }
}

const durations = (timers: ReadonlySet<Timer>): readonly number[] =>
  Array.from(timers, ({ durationMs }) => durationMs)

describe("the clock of the machine", () => {
  it("tells the host's time, and waits by its timers", async () => {
    const { clock, timers } = createHost()
    assert.deepEqual([clock.now(), clock.monotonicNow()], [1_000, 7])
    const waited = clock.wait(50)
    assert.deepEqual(durations(timers), [50])
    for (const { fire } of timers) fire()
    await waited
    assert.equal(timers.size, 0)
  })

  it("ends a wait when its signal aborts, and begins none that is aborted already", async () => {
    const { clock, timers } = createHost()
    const controller = new AbortController()
    const waited = clock.wait(50, controller.signal)
    controller.abort()
    await waited
    await clock.wait(50, controller.signal)
    assert.equal(timers.size, 0)
  })

  it("never asks for a longer timer than a host has: such a one would end at once", () => {
    const { clock, timers } = createHost()
    void clock.wait(2 ** 40)
    assert.deepEqual(durations(timers), [2 ** 31 - 1])
  })
})
