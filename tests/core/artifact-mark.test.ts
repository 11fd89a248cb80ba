/** The line in which a storage keeps its mark. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { MOST_MARK_BYTES, parseMarkLine } from "@safelight/core"

describe("the line of a mark", () => {
  it("is 1 to 100 visible characters and a line break", () => {
    const longest = "~".repeat(100)
    assert.equal(parseMarkLine(`${longest}\n`), longest)
    assert.equal(`${longest}\n`.length, MOST_MARK_BYTES)
    for (const line of ["", "\n", "mark", "a b\n", "a\n\n", `${longest}~\n`, "é\n"]) {
      assert.equal(parseMarkLine(line), undefined, line)
    }
  })
})
