/** A task from its submission to stored artifacts, by each kind of provider: bytes in an answer, URLs, and files behind a key. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { imageEdit, referenceToVideo, textToImage } from "@safelight/core"
import { makeTask, openOwnServices } from "../own-services.ts"

const KEY = "key-of:a-provider"
const EDIT = { prompt: "in fog", image_urls: ["data:image/png;base64,AAAA"], count: 2 }
const FILM = { prompt: "waves", duration: 4, resolution: "720p" }
const REFERRING = { ...FILM, image_urls: ["https://media.example/1.png"] }

const TASKS: readonly (readonly [
  type: string,
  model: string,
  parameters: object,
  types: string[],
])[] = [
  ["openai", textToImage.id, { prompt: "fog" }, ["image/png"]],
  ["openai", imageEdit.id, { ...EDIT, output_format: "webp" }, ["image/webp", "image/webp"]],
  ["xai", imageEdit.id, EDIT, ["image/jpeg", "image/jpeg"]],
  ["xai", referenceToVideo.id, FILM, ["video/mp4"]],
  ["runware", textToImage.id, { prompt: "fog", size: "square" }, ["image/jpeg"]],
  ["runware", referenceToVideo.id, FILM, ["video/mp4"]],
  ["black-forest-labs", textToImage.id, { prompt: "fog" }, ["image/jpeg"]],
  ["gemini", textToImage.id, { prompt: "fog" }, ["image/png"]],
  ["gemini", referenceToVideo.id, FILM, ["video/mp4"]],
  ["ark", imageEdit.id, { ...EDIT, count: 1 }, ["image/jpeg"]],
  ["ark", referenceToVideo.id, FILM, ["video/mp4"]],
  ["comfy-router", textToImage.id, { prompt: "fog" }, ["image/png"]],
  ["comfy-router", referenceToVideo.id, FILM, ["video/mp4"]],
  ["higgsfield", referenceToVideo.id, REFERRING, ["video/mp4"]],
  ["kling", referenceToVideo.id, FILM, ["video/mp4"]],
  ["stability", textToImage.id, { prompt: "fog" }, ["image/png"]],
  ["replicate", textToImage.id, { prompt: "fog" }, ["image/webp"]],
]

// They wait for their polls, each on a service of its own.
describe("a task of a declared provider", { concurrency: true }, () => {
  for (const [type, model, parameters, types] of TASKS) {
    it(`is bought once and stored: ${model} by ${type}`, async (t) => {
      const { entries, start, startStub } = await openOwnServices(t)
      const stub = await startStub(type, { runMs: 20 })
      const channels = [{ type, baseUrl: stub.url, keyVariable: "PROVIDER_KEY" }]
      const service = await start({ channels }, { environment: { PROVIDER_KEY: KEY } })
      const task = await makeTask(service, { account: "sample", model, parameters })
      assert.equal(task.state, "succeeded.available", JSON.stringify(task))
      assert.deepEqual(
        task.artifacts.map(({ mimeType }) => mimeType),
        types,
      )
      for (const { bytes, durationMs } of task.artifacts) {
        assert.ok(bytes > 0)
        if (model === referenceToVideo.id) assert.ok(Math.abs((durationMs ?? 0) - 4_000) < 100)
      }
      assert.equal(stub.purchases.length, 1)
      const told = JSON.stringify([task, entries])
      assert.equal(told.includes(KEY), false, "the key is told")
    })
  }
})
