/** What answers hold in memory: an answer is bounded, so are all together, and what is over is given back. */
import assert from "node:assert/strict"
import { it } from "node:test"
import * as fc from "fast-check"
import { createBudget } from "../../../adapters/openai/src/calls/budget.ts"
import { check } from "../../core/support/property.ts"

const MIB = 1024 * 1024

it("an answer holds at most 32 MiB, and all of them 256", (t) => {
  const step = fc.record({
    answer: fc.nat({ max: 19 }),
    bytes: fc.integer({ min: 1, max: 40 * MIB }),
    isOver: fc.boolean(),
  })
  const property = fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
    const budget = createBudget()
    const answers = Array.from({ length: 20 }, () => ({ held: budget.open(), bytes: 0 }))
    const sum = (): number => answers.reduce((total, { bytes }) => total + bytes, 0)
    for (const { answer, bytes, isOver } of steps) {
      const each = answers[answer] ?? assert.fail()
      if (isOver) {
        each.held.release()
        each.held.release()
        each.bytes = 0
        continue
      }
      const isTooLarge = each.bytes + bytes > 32 * MIB
      const expected = isTooLarge ? "answer" : sum() + bytes > 256 * MIB ? "all" : "taken"
      assert.equal(each.held.take(bytes), expected)
      if (expected === "taken") each.bytes += bytes
    }
  })
  check(t, property)
})
