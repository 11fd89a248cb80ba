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
