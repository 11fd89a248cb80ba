/** Options that factories check alike. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isHeaderSecret, takeIntegers } from "@safelight/core"

describe("options that are integers", () => {
  const bounds = { tries: [1, 9], ageMs: [0, Number.MAX_SAFE_INTEGER] } as const
  const defaults = { tries: 5, ageMs: 60, other: "text" }

  it("are taken at both of their bounds, and by default", () => {
    assert.deepEqual(takeIntegers({ bounds, defaults, options: {} }), { tries: 5, ageMs: 60 })
    for (const tries of [1, 9]) {
      const options = { tries, ageMs: undefined }
      assert.deepEqual(takeIntegers({ bounds, defaults, options }), { tries, ageMs: 60 })
    }
  })

  it("are refused past them, by name and without their value", () => {
    for (const tries of [0, 10, 1.5, Number.NaN, Infinity, "5" as unknown as number]) {
      assert.throws(() => takeIntegers({ bounds, defaults, options: { tries }, prefix: "its " }), {
        code: "invalid-configuration",
        message: "its tries must be an integer from 1 to 9",
      })
    }
    assert.throws(() => takeIntegers({ bounds, defaults, options: { ageMs: -1 } }), {
      message: "ageMs must be an integer of 0 or more",
    })
  })
})

describe("a secret in a header", () => {
  it("is visible ASCII of at most 4,096 characters", () => {
    for (const text of ["!", "~".repeat(4_096)]) assert.ok(isHeaderSecret(text))
    for (const text of ["", "a b", "a\n", "é", "~".repeat(4_097)]) {
      assert.equal(isHeaderSecret(text), false, text.slice(0, 9))
    }
  })
})
