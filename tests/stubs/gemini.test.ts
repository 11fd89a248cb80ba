/** The stub of the Gemini API, asked as the documentation says. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { GoogleGenAI } from "@google/genai"
import { createManualClock } from "@safelight/testkit"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { callJson } from "./support/call-json.ts"

const headers = { "x-goog-api-key": "test" }
const IMAGE = "gemini-3-pro-image"
const VEO = "veo-3.1-generate-preview"

const start = (options?: StubOptions): Promise<RunningStub> =>
  STUBS["gemini"]!({ runMs: 0, ...options })

function generate(stub: RunningStub, imageConfig: Readonly<Record<string, unknown>> = {}) {
  const body = {
    contents: [{ role: "user", parts: [{ text: "a fox" }] }],
    generationConfig: { responseModalities: ["IMAGE"], imageConfig },
  }
  return callJson(`${stub.url}/v1beta/models/${IMAGE}:generateContent`, { headers, body })
}

function createFilm(stub: RunningStub, parameters: Readonly<Record<string, unknown>> = {}) {
  const body = { instances: [{ prompt: "a fox" }], parameters }
  return callJson(`${stub.url}/v1beta/models/${VEO}:predictLongRunning`, { headers, body })
}

describe("the stub of Gemini", () => {
  it("answers with the picture itself", async () => {
    await using stub = await start()
    const { body } = await generate(stub, { aspectRatio: "16:9", imageSize: "1K" })
    const { mimeType, data } = body.candidates[0].content.parts[0].inlineData
    const png = Buffer.from(data, "base64")
    assert.deepEqual(
      [mimeType, png.readUInt32BE(16), png.readUInt32BE(20)],
      ["image/png", 1820, 1024],
    )
    assert.deepEqual(
      stub.purchases.map(({ endpoint }) => endpoint),
      [IMAGE],
    )
  })

  it("makes pictures by Imagen", async () => {
    await using stub = await start()
    const body = { instances: [{ prompt: "a fox" }], parameters: { sampleCount: 2 } }
    const url = `${stub.url}/v1beta/models/imagen-4:predict`
    assert.equal((await callJson(url, { headers, body })).body.predictions.length, 2)
    stub.setFaults({ own: ["image-safety"] })
    const filtered = await callJson(url, { headers, body })
    assert.match(filtered.body.predictions[0].raiFilteredReason, /filtered/)
  })

  it("says no with a 200", async () => {
    await using stub = await start()
    const seen: unknown[] = []
    for (const fault of ["prompt-blocked", "image-safety", "no-image", "text-instead"]) {
      stub.setFaults({ own: [fault] })
      const { status, body } = await generate(stub)
      const candidate = body.candidates?.[0]
      const text = candidate?.content?.parts[0].text !== undefined
      seen.push([status, body.promptFeedback?.blockReason, candidate?.finishReason, text])
    }
    assert.deepEqual(seen, [
      [200, "PROHIBITED_CONTENT", undefined, false],
      [200, undefined, "IMAGE_SAFETY", false],
      [200, undefined, "NO_IMAGE", false],
      [200, undefined, "STOP", true],
    ])
  })

  it("tells in the body when to come again, and wants a key", async () => {
    await using stub = await start({ faults: { create: "busy" } })
    const { status, body } = await generate(stub)
    assert.deepEqual([status, body.error.status], [429, "RESOURCE_EXHAUSTED"])
    assert.equal(body.error.details[0].retryDelay, "17s")
    assert.equal((await callJson(`${stub.url}/v1beta/models`)).status, 403)
    assert.equal((await callJson(`${stub.url}/v1beta/models?key=test`)).status, 200)
    assert.equal(stub.purchases.length, 0)
  })

  it("makes films whose URI wants the key, and redirects to one that doesn't", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, runMs: 1_000 })
    assert.equal((await createFilm(stub, { durationSeconds: 5 })).status, 400)
    const { body } = await createFilm(stub, { durationSeconds: 4, resolution: "720p" })
    const get = async () => (await callJson(`${stub.url}/v1beta/${body.name}`, { headers })).body
    assert.deepEqual(await get(), { name: body.name })
    await clock.advance(1_000)
    const { done, response } = await get()
    assert.equal(done, true)
    const { uri } = response.generateVideoResponse.generatedSamples[0].video
    assert.equal((await fetch(uri, { redirect: "manual" })).status, 403)
    const redirect = await fetch(uri, { headers, redirect: "manual" })
    assert.equal(redirect.status, 302)
    const signed = redirect.headers.get("location") ?? ""
    assert.equal((await fetch(signed)).headers.get("content-type"), "video/mp4")
    stub.setFaults({ own: ["refuses-key"] })
    assert.equal((await fetch(signed, { headers })).status, 400)
    assert.equal((await fetch(signed)).status, 200)
    stub.setFaults({})
    await clock.advance(2 * 86_400_000)
    assert.equal((await fetch(signed)).status, 404)
  })

  it("filters, refuses and fails films", async () => {
    await using stub = await start()
    const seen: unknown[] = []
    for (const fault of ["video-filtered", "video-refused", "video-failed"]) {
      stub.setFaults({ own: [fault] })
      const { body } = await createFilm(stub)
      const operation = (await callJson(`${stub.url}/v1beta/${body.name}`, { headers })).body
      const { raiMediaFilteredCount: count } = operation.response?.generateVideoResponse ?? {}
      seen.push([operation.done, count, operation.error?.code])
    }
    assert.deepEqual(seen, [
      [true, 1, undefined],
      [true, undefined, 3],
      [true, undefined, 13],
    ])
  })
})

describe("Google's own client", () => {
  const connect = (stub: RunningStub) =>
    new GoogleGenAI({ apiKey: "test", httpOptions: { baseUrl: stub.url } })
  const model = "gemini-3-pro-image"

  it("makes a picture", async () => {
    await using stub = await STUBS["gemini"]!({ runMs: 0 })
    const answer = await connect(stub).models.generateContent({
      model,
      contents: "a fox",
      config: {
        responseModalities: ["IMAGE"],
        imageConfig: { aspectRatio: "1:1", imageSize: "1K" },
      },
    })
    const [part] = answer.candidates?.[0]?.content?.parts ?? []
    assert.equal(part?.inlineData?.mimeType, "image/png")
    assert.equal(stub.purchases.length, 1)
  })

  it("is refused what this API does not offer", async () => {
    await using stub = await STUBS["gemini"]!({ runMs: 0 })
    const config = { imageConfig: { aspectRatio: "7:1" } }
    await assert.rejects(
      connect(stub).models.generateContent({ model, contents: "a fox", config }),
      { status: 400 },
    )
    assert.equal(stub.purchases.length, 0)
  })
})
