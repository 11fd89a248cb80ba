/** The text by which a trace goes from one process to another, as strangers may write it. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { formatTraceparent, parseTraceparent } from "@safelight/core"

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const SPAN = "b7ad6b7169203331"

describe("a traceparent", () => {
  it("is read as it is written", () => {
    for (const isSampled of [true, false]) {
      const context = { traceId: TRACE, spanId: SPAN, isSampled }
      assert.deepEqual(parseTraceparent(formatTraceparent(context)), context)
    }
    assert.equal(
      formatTraceparent({ traceId: TRACE, spanId: SPAN, isSampled: true }),
      `00-${TRACE}-${SPAN}-01`,
    )
  })

  it("of a later version is read as far as it is known, and so are flags", () => {
    const sampled = { traceId: TRACE, spanId: SPAN, isSampled: true }
    for (const text of [`cc-${TRACE}-${SPAN}-01-what-else`, `00-${TRACE}-${SPAN}-ff`]) {
      assert.deepEqual(parseTraceparent(text), sampled, text)
    }
    assert.equal(parseTraceparent(`00-${TRACE}-${SPAN}-02`)?.isSampled, false)
  })

  for (const [what, text] of [
    ["nothing", ""],
    ["two of them", `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ["upper case", `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ["no trace", `00-${"0".repeat(32)}-${SPAN}-01`],
    ["no span", `00-${TRACE}-${"0".repeat(16)}-01`],
    ["an id too short", `00-${TRACE.slice(1)}-${SPAN}-01`],
    ["an id too long", `00-0${TRACE}-${SPAN}-01`],
    ["the version that never is", `ff-${TRACE}-${SPAN}-01`],
    ["more than its version has", `00-${TRACE}-${SPAN}-01-more`],
    ["no flags", `00-${TRACE}-${SPAN}`],
    ["a line break", `00-${TRACE}-${SPAN}-01\n`],
    ["very much", `cc-${TRACE}-${SPAN}-01-${"a".repeat(100_000)}`],
  ] as const) {
    it(`with ${what} counts as none`, () => {
      assert.equal(parseTraceparent(text), undefined)
    })
  }
})
