/** The stub of Stability AI, asked as the documentation says. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { STUBS, type StubOptions } from "@safelight/testkit/stubs"
import { toForm } from "./support/to-form.ts"

const authorization = "Bearer test"
const PATH = "/v2beta/stable-image/generate/core"

async function ask(accept: string, options: StubOptions = {}, fields = {}) {
  await using stub = await STUBS["stability"]!({ runMs: 0, ...options })
  const body = toForm({ prompt: "a fox", output_format: "webp", ...fields })
  const headers = { accept, authorization }
  const response = await fetch(`${stub.url}${PATH}`, { method: "POST", headers, body })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { bytes, headers: response.headers, purchases: stub.purchases, status: response.status }
}

describe("the stub of Stability AI", () => {
  it("answers the bytes of a picture, with its seed and why it ended", async () => {
    const { bytes, headers, purchases } = await ask("image/*")
    assert.equal(headers.get("content-type"), "image/webp")
    assert.equal(headers.get("finish-reason"), "SUCCESS")
    assert.match(headers.get("seed") ?? "", /^\d+$/)
    assert.equal(bytes.subarray(8, 12).toString(), "WEBP")
    assert.equal(purchases[0]?.id, headers.get("x-request-id"))
  })

  it("answers JSON to whoever asks for it, without those headers", async () => {
    const { bytes, headers } = await ask("application/json")
    const { finish_reason: reason, image } = JSON.parse(bytes.toString())
    assert.equal(reason, "SUCCESS")
    assert.equal(Buffer.from(image, "base64").subarray(8, 12).toString(), "WEBP")
    assert.equal(headers.get("finish-reason"), null)
  })

  it("says of a blurred picture that it is one, and sells it", async () => {
    const { headers, purchases } = await ask("image/*", { faults: { own: ["filtered"] } })
    assert.equal(headers.get("finish-reason"), "CONTENT_FILTERED")
    assert.equal(purchases.length, 1)
  })

  const refusals = [
    ["moderation", 403, "content_moderation"],
    ["no-credits", 402, "payment_required"],
  ] as const
  for (const [fault, status, name] of refusals) {
    it(`refuses in its own form, and sells nothing: ${fault}`, async () => {
      const answer = await ask("image/*", { faults: { own: [fault] } })
      assert.equal(answer.status, status)
      assert.equal(JSON.parse(answer.bytes.toString()).name, name)
      assert.deepEqual(answer.purchases, [])
    })
  }
})
