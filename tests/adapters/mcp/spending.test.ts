/** What a session may cost: whatever calls do, and in whichever order they end, the limit is never passed. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isApiError } from "@safelight/client"
import { DEFAULTS } from "@safelight/mcp"
import * as fc from "fast-check"
import { createSpending, type Reservation } from "../../../adapters/mcp/src/purchases/spending.ts"
import { toCallKey } from "../../../adapters/mcp/src/purchases/call-key.ts"

const isRefused = (error: unknown): boolean =>
  isApiError(error) && error.code === "max_cost_exceeded"

describe("what a session spends", () => {
  it("is reserved before it is bought, and what is not charged is given back", () => {
    const spending = createSpending(100)
    const one = spending.reserve("one", 60)
    assert.throws(() => spending.reserve("two", 41), isRefused)
    one.bought("task")
    spending.settle("task", 10)
    assert.equal(spending.leftMicros(), 90)
    spending.reserve("two", 90).release()
    assert.equal(spending.leftMicros(), 90)
  })

  it("counts a repeated call once, and a refused repetition gives nothing back", () => {
    const spending = createSpending(100)
    spending.reserve("one", 60).bought("task")
    const again = spending.reserve("one", 60)
    assert.equal(spending.leftMicros(), 40)
    again.release()
    assert.equal(spending.leftMicros(), 40)
    again.bought("task")
    spending.settle("task", 60)
    spending.settle("task", 60)
    spending.settle("another's", 1_000)
    assert.equal(spending.leftMicros(), 40)
  })

  it("keeps what two calls of a key reserved until neither may have bought", () => {
    const spending = createSpending(100)
    const first = spending.reserve("one", 60)
    const second = spending.reserve("one", 60)
    first.release()
    second.bought("task")
    assert.equal(spending.leftMicros(), 40)
    assert.throws(() => spending.reserve("two", 41), isRefused)

    const third = spending.reserve("three", 40)
    const fourth = spending.reserve("three", 40)
    third.release()
    fourth.release()
    assert.equal(spending.leftMicros(), 40)
  })

  it("reserves the rest for a key whose next call could cost more, and refuses it beyond the limit", () => {
    const spending = createSpending(100)
    spending.reserve("one", 10)
    spending.reserve("one", 50)
    assert.equal(spending.leftMicros(), 50)
    assert.throws(() => spending.reserve("one", 101), isRefused)
    assert.equal(spending.leftMicros(), 50)
    spending.reserve("one", 20).bought("task")
    spending.settle("task", 5)
    spending.reserve("one", 90)
    assert.equal(spending.leftMicros(), 95)
  })

  it("is settled by a task that was found later, of a call that does not know what it bought", () => {
    const spending = createSpending(100)
    spending.reserve("one", 60)
    spending.found("one", "task")
    spending.found("another's", "task of another")
    assert.equal(spending.leftMicros(), 40)
    spending.settle("task of another", 1_000)
    spending.settle("task", 10)
    assert.equal(spending.leftMicros(), 90)
  })

  it("has no limit if none is given", () => {
    const spending = createSpending()
    spending.reserve("one", Number.MAX_SAFE_INTEGER)
    assert.deepEqual([spending.limitMicros, spending.leftMicros()], [undefined, undefined])
  })

  it("never passes the limit", () => {
    const step = fc.record({
      key: fc.integer({ min: 0, max: 5 }),
      micros: fc.integer({ min: 0, max: 50 }),
      kind: fc.constantFrom("reserve", "release", "settle"),
    })
    const property = fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 0, max: 100 }),
      (steps, limit) => {
        const spending = createSpending(limit)
        const counted = new Map<string, number>()
        const open = new Map<string, Reservation>()
        for (const { key, kind, micros } of steps) {
          const name = `${key}`
          const reserved = counted.get(name)
          if (kind === "reserve" && reserved === undefined) {
            try {
              const reservation = spending.reserve(name, micros)
              reservation.bought(name)
              open.set(name, reservation)
              counted.set(name, micros)
            } catch (error) {
              assert.ok(isRefused(error))
            }
          } else if (kind === "settle" && reserved !== undefined) {
            // A charge is never above what was reserved.
            const charge = Math.min(micros, reserved)
            spending.settle(name, charge)
            counted.set(name, charge)
            open.delete(name)
          } else if (kind === "release" && open.has(name)) {
            open.get(name)?.release()
            open.delete(name)
            counted.delete(name)
          }
          const sum = [...counted.values()].reduce((all, each) => all + each, 0)
          assert.ok(sum <= limit)
          assert.equal(spending.leftMicros(), limit - sum)
        }
      },
    )
    fc.assert(property)
  })
})

describe("the key of a call", () => {
  it("is the same for its repetition in its session, and else another", () => {
    const keys = [
      toCallKey("a", 1),
      toCallKey("a", "1"),
      toCallKey("b", 1),
      toCallKey("a", 2),
      toCallKey(undefined, 1),
      toCallKey(undefined, 1),
    ]
    assert.equal(new Set(keys).size, keys.length)
    assert.equal(toCallKey("a", 1), keys[0])
    const long = toCallKey("a", "é\n".repeat(DEFAULTS.messageBytes / 1024))
    assert.match(long, /^[!-~]{1,255}$/)
  })
})
