/** A text's SHA-256 is the same whether the host has Node's own or WebCrypto alone. */
import assert from "node:assert/strict"
import { it } from "node:test"
import { sha256 } from "../../../adapters/http/src/sha256.ts"

/** FIPS 180-2, appendix B.1. */
const OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

it("sha256 answers at once under Node", () => {
  assert.equal(sha256("abc"), OF_ABC)
})

it("sha256 asks WebCrypto elsewhere", async () => {
  const { getBuiltinModule } = process
  Object.assign(process, { getBuiltinModule: undefined })
  const path = "../../../adapters/http/src/sha256.ts?web"
  const web = (await import(path)) as { readonly sha256: typeof sha256 }
  Object.assign(process, { getBuiltinModule })
  const answer = web.sha256("abc")
  assert.ok(answer instanceof Promise)
  assert.equal(await answer, OF_ABC)
})
