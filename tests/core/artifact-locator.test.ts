/** Locators of artifacts: which task one belongs to can be told from its text, whatever the task's id. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isArtifactLocator, toArtifactLocator, toLocatorTask } from "@safelight/core"
import * as fc from "fast-check"
import { check } from "./support/property.ts"
import { sha256 } from "./support/sha256.ts"

const RANDOM = "00000000-0000-4000-8000-000000000000"

function locate(task: string): string {
  return toArtifactLocator({ task, key: "image_1", random: RANDOM }, (text) => sha256([text]))
}

describe("a locator", () => {
  it("names its task, any text that is short enough", (t) => {
    // Units, so that halves of characters are among them.
    const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 48 })
    const property = fc.property(units, (codes) => {
      const task = String.fromCharCode(...codes)
      assert.ok(isArtifactLocator(locate(task)))
      assert.equal(toLocatorTask(locate(task)), task)
    })
    check(t, property, 500)
    for (const task of ["", "%", "%h", "%002e", "a/b", "a".repeat(240)]) {
      assert.equal(toLocatorTask(locate(task)), task)
    }
  })

  it("names no task that is longer, since only the hash of its name is left", () => {
    assert.ok(isArtifactLocator(locate("a".repeat(241))))
    assert.equal(toLocatorTask(locate("a".repeat(241))), undefined)
  })
})
