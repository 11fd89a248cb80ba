/** Settings of a host over the defaults of a package. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isSafelightError, withDefaults } from "@safelight/core"

const DEFAULTS = { patienceMs: 100, readers: 2 }

describe("settings", () => {
  it("are the defaults, but for the numbers that were given", () => {
    assert.deepEqual(withDefaults(DEFAULTS, undefined, "of tests"), DEFAULTS)
    const settings = withDefaults(DEFAULTS, { readers: 1 }, "of tests")
    assert.deepEqual(settings, { patienceMs: 100, readers: 1 })
  })

  it("keep to other bounds where these are named", () => {
    const others = { patienceMs: [0, 150] } as const
    const settings = withDefaults(DEFAULTS, { patienceMs: 0 }, "of tests", others)
    assert.deepEqual(settings, { patienceMs: 0, readers: 2 })
    const expected = { message: "patienceMs must be an integer from 0 to 150" }
    assert.throws(() => withDefaults(DEFAULTS, { patienceMs: 151 }, "of tests", others), expected)
    const positive = { message: "readers must be a positive integer" }
    assert.throws(() => withDefaults(DEFAULTS, { readers: 0 }, "of tests", others), positive)
  })

  const wrong: readonly (readonly [given: object, message: string])[] = [
    [{ readers: 0 }, "readers must be a positive integer"],
    [{ readers: 1.5 }, "readers must be a positive integer"],
    [{ readers: "1" }, "readers must be a positive integer"],
    [{ reader: 1 }, "reader is not a setting of tests"],
    [{ toString: 1 }, "toString is not a setting of tests"],
  ]
  for (const [given, message] of wrong) {
    it(`are refused by name: ${JSON.stringify(given)}`, () => {
      assert.throws(
        () => withDefaults(DEFAULTS, given, "of tests"),
        (error) => {
          assert.ok(isSafelightError(error))
          assert.deepEqual([error.code, error.message], ["invalid-configuration", message])
          return true
        },
      )
    })
  }
})
