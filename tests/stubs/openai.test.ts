/** The stub of OpenAI's images, asked as the documentation says, and by its own client. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import OpenAI, { toFile } from "openai"
import { createManualClock } from "@safelight/testkit"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { callJson } from "./support/call-json.ts"

const headers = { authorization: "Bearer sk-test" }

const start = (options?: StubOptions): Promise<RunningStub> =>
  STUBS["openai"]!({ runMs: 0, ...options })

function generate(stub: RunningStub, fields: Readonly<Record<string, unknown>> = {}) {
  const body = { model: "gpt-image-2", prompt: "a fox", ...fields }
  return callJson(`${stub.url}/v1/images/generations`, { headers, body })
}

describe("the stub of OpenAI's images", () => {
  it("answers with the pictures themselves, and has no handle", async () => {
    await using stub = await start()
    const answer = await generate(stub, { n: 2, size: "1024x576", output_format: "webp" })
    assert.equal(answer.status, 200)
    const heads = answer.body.data.map(({ b64_json: text }: { b64_json: string }) =>
      Buffer.from(text, "base64").subarray(8, 12).toString("latin1"),
    )
    assert.deepEqual(heads, ["WEBP", "WEBP"])
    const id = answer.headers.get("x-request-id")
    assert.deepEqual(
      stub.purchases.map((each) => each.id),
      [id],
    )
  })

  it("takes edits as JSON and as a form", async () => {
    await using stub = await start()
    const url = `${stub.url}/v1/images/edits`
    const images = [{ image_url: "https://example.com/a.png" }]
    const json = await callJson(url, { headers, body: { prompt: "a fox", images } })
    assert.equal(json.body.data.length, 1)
    const form = new FormData()
    form.append("prompt", "a fox")
    form.append("n", "3")
    form.append("image[]", new Blob(["fox"], { type: "image/png" }), "fox.png")
    const answer = await fetch(url, { method: "POST", headers, body: form })
    const { data } = (await answer.json()) as { readonly data: readonly unknown[] }
    assert.equal(data.length, 3)
    const bodies = stub.purchases.map(({ body }) => (body as { readonly images: unknown }).images)
    assert.deepEqual(bodies, [images, [{ name: "fox.png", type: "image/png", size: 3 }]])
    const bare = await callJson(url, { headers, body: { prompt: "a fox" } })
    assert.deepEqual([bare.status, bare.body.error.param], [400, "image"])
  })

  it("refuses without buying", async () => {
    await using stub = await start()
    const seen: unknown[] = []
    for (const fault of ["moderation", "policy", "no-quota", "retry-after-ms"]) {
      stub.setFaults({ own: [fault], times: 1 })
      const { status, body, headers: told } = await generate(stub)
      seen.push([status, body.error.code, told.get("retry-after-ms")])
    }
    assert.deepEqual(seen, [
      [400, "moderation_blocked", null],
      [400, "content_policy_violation", null],
      [429, "insufficient_quota", null],
      [429, "rate_limit_exceeded", "1500"],
    ])
    assert.equal((await generate(stub, { prompt: "" })).status, 400)
    assert.equal((await callJson(`${stub.url}/v1/models`)).status, 401)
    assert.equal(stub.purchases.length, 0)
  })

  it("may be silent for minutes, and then send 20 MB", async () => {
    const clock = createManualClock()
    await using stub = await start({
      clock,
      slowMs: 300_000,
      faults: { own: ["silence", "large"] },
    })
    const under = generate(stub)
    while (clock.pendingWaits() === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(300_000)
    const { text } = await under
    assert.ok(text.length > 20_000_000, `${text.length}`)
  })
})

describe("OpenAI's own client", () => {
  const connect = (stub: RunningStub, maxRetries = 0) =>
    new OpenAI({ apiKey: "sk-test", baseURL: `${stub.url}/v1`, maxRetries })

  it("generates and edits", async () => {
    await using stub = await start()
    const client = connect(stub)
    const made = await client.images.generate({ model: "gpt-image-2", prompt: "a fox" })
    const image = Buffer.from(made.data?.[0]?.b64_json ?? "", "base64")
    const file = await toFile(image, "fox.png", { type: "image/png" })
    const edited = await client.images.edit({ model: "gpt-image-2", prompt: "blue", image: [file] })
    assert.equal(edited.data?.length, 1)
    assert.equal(stub.purchases.length, 2)
  })

  it("knows a refusal by its code", async () => {
    await using stub = await start({ faults: { own: ["moderation"] } })
    await assert.rejects(connect(stub).images.generate({ prompt: "a fox" }), {
      status: 400,
      code: "moderation_blocked",
    })
  })

  it("buys again by itself after a 5xx unless told not to, which is why no channel uses it", async () => {
    await using stub = await start({ faults: { create: "server-error", times: 1 } })
    await connect(stub, 2).images.generate({ prompt: "a fox" })
    assert.equal(stub.purchases.length, 2)
  })
})
