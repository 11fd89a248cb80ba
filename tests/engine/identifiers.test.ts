/** Task ids: UUIDv7, in the order of their making, also within a millisecond and past a clock that falls. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createIdentifiers, sha256, systemRandomness } from "@safelight/engine"
import { createHash } from "node:crypto"

const UUID7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe("task ids", () => {
  it("are UUIDv7 of their moment", () => {
    const identifiers = createIdentifiers(systemRandomness)
    const id = identifiers.createTaskId(1_767_225_600_123)
    assert.match(id, UUID7)
    assert.equal(Number.parseInt(id.replace("-", "").slice(0, 12), 16), 1_767_225_600_123)
  })

  it("sort by creation, 10,000 in one millisecond and with a clock that falls back", () => {
    const identifiers = createIdentifiers(systemRandomness)
    const moments = [...Array.from({ length: 10_000 }, () => 5_000), 4_000, 5_001, 1, 6_000]
    const ids = moments.map((at) => identifiers.createTaskId(at))
    assert.deepEqual(ids, ids.toSorted())
    assert.equal(new Set(ids).size, ids.length)
  })

  it("never share their random digits", () => {
    const identifiers = createIdentifiers(systemRandomness)
    const salts = Array.from({ length: 2_000 }, () => identifiers.createSalt())
    assert.equal(new Set(salts).size, salts.length)
    for (const salt of salts) assert.match(salt, /^[0-9a-f]{32}$/)
  })
})

describe("the digest", () => {
  it("is SHA-256 over text and bytes, short or longer than its buffer", () => {
    for (const text of ["", "π💩\u0000", "a".repeat(20_000), "é".repeat(6_000)]) {
      const expected = createHash("sha256").update("start").update("abcd", "hex").update(text)
      assert.equal(sha256(["start", { hex: "abcd" }, text]), expected.digest("hex"))
      assert.equal(sha256([text]), createHash("sha256").update(text).digest("hex"))
      const ofBytes = createHash("sha256").update("abcd", "hex").digest("hex")
      assert.equal(sha256([{ hex: "abcd" }]), ofBytes)
    }
  })
})
