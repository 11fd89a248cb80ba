/** Conditional headers: precedence, strong and weak comparison, dates in all their forms. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  decideContent,
  formatHttpDate,
  parseHttpDate,
  type Conditions,
  type ContentDecision,
} from "@safelight/http"
import * as fc from "fast-check"

const NOW = Date.UTC(2026, 0, 2)
const MODIFIED_AT = Date.UTC(2026, 0, 1, 12, 0, 0, 900)
const SAME = formatHttpDate(MODIFIED_AT)
const EARLIER = formatHttpDate(MODIFIED_AT - 1_000)
const LATER = formatHttpDate(MODIFIED_AT + 1_000)
const REPRESENTATION = { etag: '"abc"', lastModifiedAt: MODIFIED_AT, bytes: 1000 }
const NONE: Conditions = {
  method: "GET",
  ifMatch: null,
  ifUnmodifiedSince: null,
  ifNoneMatch: null,
  ifModifiedSince: null,
  ifRange: null,
  range: null,
}

const ROWS: readonly [name: string, given: Partial<Conditions>, kind: ContentDecision["kind"]][] = [
  ["no condition", {}, "whole"],
  ["If-Match with the tag", { ifMatch: '"abc"' }, "whole"],
  ["If-Match with a list that has it", { ifMatch: '"x" , "abc"' }, "whole"],
  ["If-Match with any", { ifMatch: "*" }, "whole"],
  ["If-Match with another", { ifMatch: '"x"' }, "precondition-failed"],
  ["If-Match with the tag made weak", { ifMatch: 'W/"abc"' }, "precondition-failed"],
  ["If-Match with what is no tag", { ifMatch: "abc" }, "precondition-failed"],
  ["If-Match with the tag among rubbish", { ifMatch: '"abc" x' }, "precondition-failed"],
  ["If-Unmodified-Since the same second", { ifUnmodifiedSince: SAME }, "whole"],
  ["If-Unmodified-Since a second before", { ifUnmodifiedSince: EARLIER }, "precondition-failed"],
  ["If-Unmodified-Since no date", { ifUnmodifiedSince: "2020-01-01" }, "whole"],
  ["If-Match over If-Unmodified-Since", { ifMatch: "*", ifUnmodifiedSince: EARLIER }, "whole"],
  ["If-None-Match with the tag", { ifNoneMatch: '"abc"' }, "not-modified"],
  ["If-None-Match with the tag made weak", { ifNoneMatch: 'W/"abc"' }, "not-modified"],
  ["If-None-Match with any", { ifNoneMatch: "*" }, "not-modified"],
  ["If-None-Match with another", { ifNoneMatch: '"x", W/"y"' }, "whole"],
  ["If-None-Match with a comma inside a tag", { ifNoneMatch: '"x,y","abc"' }, "not-modified"],
  ["If-Modified-Since the same second", { ifModifiedSince: SAME }, "not-modified"],
  ["If-Modified-Since a second before", { ifModifiedSince: EARLIER }, "whole"],
  ["If-Modified-Since no date", { ifModifiedSince: "yesterday" }, "whole"],
  ["If-None-Match over If-Modified-Since", { ifNoneMatch: '"x"', ifModifiedSince: LATER }, "whole"],
  [
    "If-Match before If-None-Match",
    { ifMatch: '"x"', ifNoneMatch: '"abc"' },
    "precondition-failed",
  ],
  ["If-None-Match before Range", { ifNoneMatch: '"abc"', range: "bytes=0-0" }, "not-modified"],
  ["Range", { range: "bytes=0-0" }, "partial"],
  ["Range with HEAD", { range: "bytes=0-0", method: "HEAD" }, "whole"],
  ["Range past the end", { range: "bytes=1000-" }, "unsatisfiable"],
  ["If-Range with the tag", { range: "bytes=0-0", ifRange: '"abc"' }, "partial"],
  ["If-Range with the tag made weak", { range: "bytes=0-0", ifRange: 'W/"abc"' }, "whole"],
  ["If-Range with another tag", { range: "bytes=1000-", ifRange: '"x"' }, "whole"],
  ["If-Range with the date", { range: "bytes=0-0", ifRange: SAME }, "partial"],
  ["If-Range with a later date", { range: "bytes=0-0", ifRange: LATER }, "whole"],
  ["If-Range with an earlier date", { range: "bytes=0-0", ifRange: EARLIER }, "whole"],
  ["If-Range without Range", { ifRange: '"x"' }, "whole"],
]

describe("decideContent", () => {
  for (const [name, given, kind] of ROWS) {
    it(`answers ${name} with ${kind}`, () => {
      assert.equal(decideContent({ ...NONE, ...given }, REPRESENTATION, NOW).kind, kind)
    })
  }
})

describe("parseHttpDate", () => {
  it("reads the three forms of RFC 9110 §5.6.7 as one moment", () => {
    const at = Date.UTC(1994, 10, 6, 8, 49, 37)
    assert.equal(parseHttpDate("Sun, 06 Nov 1994 08:49:37 GMT", NOW), at)
    assert.equal(parseHttpDate("Sunday, 06-Nov-94 08:49:37 GMT", NOW), at)
    assert.equal(parseHttpDate("Sun Nov  6 08:49:37 1994", NOW), at)
  })

  it("places two digits of a year at most fifty years ahead", () => {
    assert.equal(parseHttpDate("Friday, 01-Jan-76 00:00:00 GMT", NOW), Date.UTC(2076, 0, 1))
    assert.equal(parseHttpDate("Friday, 01-Jan-77 00:00:00 GMT", NOW), Date.UTC(1977, 0, 1))
  })

  it("refuses what is no date of HTTP", () => {
    const texts = [
      "",
      "0",
      "2026-01-01",
      "Thu, 01 Jan 2026 12:00:00 +0100",
      "Thu, 31 Feb 2026 12:00:00 GMT",
      "Thu, 01 Jan 2026 24:00:00 GMT",
      "Thu, 01 Jan 2026 12:60:00 GMT",
      "Thu, 1 Jan 2026 12:00:00 GMT",
      "Thu, 01 Foo 2026 12:00:00 GMT",
    ]
    for (const text of texts) assert.equal(parseHttpDate(text, NOW), undefined, text)
  })

  it("reads back what formatHttpDate writes, floored to the second", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(9999, 0) }), (at) => {
        assert.equal(parseHttpDate(formatHttpDate(at), NOW), at - (at % 1000))
      }),
      { verbose: 1 },
    )
  })
})
