/** A text's SHA-256 is the same whether the host has Node's own or WebCrypto alone. */
import assert from "node:assert/strict"
import { it } from "node:test"
import { createTextDigest } from "@safelight/core"

/** FIPS 180-2, appendix B.1. */
const OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

it("a text's digest is there at once under Node", () => {
  assert.equal(createTextDigest(globalThis)("abc"), OF_ABC)
})

it("a text's digest comes from WebCrypto elsewhere", async () => {
  const answer = createTextDigest({ crypto, TextEncoder })("abc")
  assert.ok(answer instanceof Promise)
  assert.equal(await answer, OF_ABC)
})
