/** A UUID made from bytes says which kind it is, and differs from the bytes in nothing else. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { toUuid } from "@safelight/core"

/** RFC 9562, appendix B.2: the SHA-256 of the DNS namespace and `www.example.com`. */
const HASH = Buffer.from("5c146b143c524afd938a375d0df1fbf6fe12a66b645f72f6158759387e51f3c8", "hex")

describe("a UUID of bytes", () => {
  it("is that of the RFC's example", () => {
    assert.equal(toUuid(HASH, 8), "5c146b14-3c52-8afd-938a-375d0df1fbf6")
  })

  it("states the version and the variant whatever the bytes hold", () => {
    assert.equal(toUuid(new Uint8Array(16).fill(0xff), 4), "ffffffff-ffff-4fff-bfff-ffffffffffff")
    assert.equal(toUuid(new Uint8Array(16), 8), "00000000-0000-8000-8000-000000000000")
  })

  it("leaves the bytes as they are", () => {
    const bytes = Buffer.from(HASH)
    toUuid(bytes, 4)
    assert.deepEqual(bytes, HASH)
  })

  it("takes no fewer than 16 bytes", () => {
    assert.throws(() => toUuid(new Uint8Array(15), 8), RangeError)
  })
})
