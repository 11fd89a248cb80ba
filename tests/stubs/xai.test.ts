/** The stub of xAI, asked as the documentation says. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createManualClock } from "@safelight/testkit"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { callJson } from "./support/call-json.ts"

const headers = { authorization: "Bearer xai-test" }
const MODEL = "grok-imagine-image-2.0"

const start = (options?: StubOptions): Promise<RunningStub> =>
  STUBS["xai"]!({ runMs: 0, ...options })

function edit(stub: RunningStub, fields: Readonly<Record<string, unknown>> = {}) {
  const image = { url: "https://a/1.png", type: "image_url" }
  const body = { model: MODEL, prompt: "a fox", image, ...fields }
  return callJson(`${stub.url}/v1/images/edits`, { headers, body })
}

function createVideo(stub: RunningStub, fields: Readonly<Record<string, unknown>> = {}) {
  const body = { model: "grok-imagine-video-1.5", prompt: "a fox", ...fields }
  return callJson(`${stub.url}/v1/videos/generations`, { headers, body })
}

describe("the stub of xAI", () => {
  it("edits at once, by URL or in base64, and tells the price in ticks", async () => {
    await using stub = await start()
    const { body } = await edit(stub, { n: 2, aspect_ratio: "20:9", output_format: "webp" })
    assert.equal(body.data.length, 2)
    assert.equal(body.usage.cost_in_usd_ticks, 800_000_000)
    const picture = await fetch(body.data[0].url)
    assert.equal(picture.headers.get("content-type"), "image/webp")
    const { body: inline } = await edit(stub, { response_format: "b64_json" })
    const bytes = Buffer.from(inline.data[0].b64_json, "base64")
    assert.deepEqual([...bytes.subarray(0, 2)], [0xff, 0xd8])
    assert.equal(stub.purchases.length, 2)
  })

  it("moderates silently, and bills", async () => {
    await using stub = await start()
    const seen: unknown[] = []
    for (const fault of ["empty-data", "block-reason", "disrespected"]) {
      stub.setFaults({ own: [fault] })
      const { status, body } = await edit(stub)
      seen.push([status, body.block_reason, body.data[0]?.respect_moderation])
    }
    assert.deepEqual(seen, [
      [200, undefined, undefined],
      [200, "content_policy", undefined],
      [200, undefined, false],
    ])
    assert.equal(stub.purchases.length, 3)
  })

  it("takes JSON only, and what it can make", async () => {
    await using stub = await start()
    const form = new FormData()
    form.append("prompt", "a fox")
    const url = `${stub.url}/v1/images/edits`
    assert.equal((await fetch(url, { method: "POST", headers, body: form })).status, 415)
    assert.equal((await edit(stub, { image: undefined })).status, 422)
    assert.equal((await createVideo(stub, { duration: 16 })).status, 400)
    assert.equal((await callJson(url, { body: {} })).status, 401)
    assert.equal(stub.purchases.length, 0)
  })

  it("makes films: 202 without a body, then with progress, then done", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, queueMs: 1_000, runMs: 1_000 })
    const { body } = await createVideo(stub, { duration: 8 })
    const get = () => callJson(`${stub.url}/v1/videos/${body.request_id}`, { headers })
    const waiting = await get()
    assert.deepEqual([waiting.status, waiting.text], [202, ""])
    await clock.advance(1_500)
    const pending = await get()
    assert.deepEqual([pending.status, pending.body], [202, { status: "pending", progress: 50 }])
    await clock.advance(500)
    const done = await get()
    assert.deepEqual([done.status, done.body.status, done.body.video.duration], [200, "done", 8])
    assert.equal(done.body.usage.cost_in_usd_ticks, 4_000_000_000)
    assert.equal((await fetch(done.body.video.url)).headers.get("content-type"), "video/mp4")
  })

  it("fails, expires and moderates films", async () => {
    await using stub = await start()
    const seen: unknown[] = []
    for (const fault of ["video-failed", "video-expired", "video-moderated"]) {
      stub.setFaults({ own: [fault] })
      const { body } = await createVideo(stub)
      const { body: video } = await callJson(`${stub.url}/v1/videos/${body.request_id}`, {
        headers,
      })
      seen.push([video.status, video.error?.code, video.video?.respect_moderation])
    }
    assert.deepEqual(seen, [
      ["failed", "internal_error", undefined],
      ["expired", undefined, undefined],
      ["done", undefined, false],
    ])
  })
})
