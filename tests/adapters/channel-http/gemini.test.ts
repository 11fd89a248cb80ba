/** The channel of the Gemini API against its stub: pictures in the answer, films behind the key, refusals with a 200. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { PROVIDERS } from "@safelight/channel-http"
import { imageEdit, referenceToVideo } from "@safelight/core"
import {
  ALWAYS_CHECKED,
  describeProvider,
  itCreates,
  itPolls,
  NO_COLOURS,
} from "./describe-provider.ts"
import { FILM, openProviderWorld, toReply, turnedAway } from "./provider-world.ts"
import { readOutputs } from "./read-outputs.ts"

const { gemini } = PROVIDERS

const world = await openProviderWorld(gemini, { film: { aspect_ratio: "9:16" } })
const { channel, film, picture, toRequest } = world

const [ONE, TWO, THREE] = ["AAAA", "BBBB", "CCCC"].map((data) => `data:image/png;base64,${data}`)

describe("Gemini's models", () => {
  const image = (base64: string) => ({ bytesBase64Encoded: base64, mimeType: "image/png" })

  it("get a prompt, one picture a call", async () => {
    const { body, endpoint } = await world.buy(picture())
    assert.equal(endpoint, "gemini-3-pro-image")
    assert.deepEqual(body, {
      contents: [{ role: "user", parts: [{ text: "fog" }] }],
      generationConfig: {
        responseModalities: ["IMAGE"],
        imageConfig: { aspectRatio: "1:1", imageSize: "1K" },
      },
    })
  })

  const films: readonly (readonly [asked: object, instance: object, parameters: object])[] = [
    [
      { ...FILM, aspect_ratio: "9:16" },
      {},
      { aspectRatio: "9:16", durationSeconds: 4, resolution: "720p" },
    ],
    [{ generate_audio: true }, {}, {}],
    [{ image_urls: [ONE] }, { image: image("AAAA") }, {}],
    [{ image_urls: [ONE, TWO] }, { image: image("AAAA"), lastFrame: image("BBBB") }, {}],
    [
      { image_urls: [ONE, TWO, THREE] },
      {
        referenceImages: ["AAAA", "BBBB", "CCCC"].map((data) => ({
          image: image(data),
          referenceType: "asset",
        })),
      },
      {},
    ],
  ]
  for (const [asked, instance, parameters] of films) {
    it(`get frames or references of a film, and never a word about its sound: ${JSON.stringify(asked)}`, async () => {
      const request = toRequest(referenceToVideo.id, { prompt: "waves", ...asked })
      const { body, endpoint } = await world.buy(request)
      assert.equal(endpoint, "veo-3.1-generate-preview")
      const instances = [{ prompt: "waves", ...instance }]
      assert.deepEqual(body, { instances, parameters })
    })
  }

  it("give a picture with the answer", async () => {
    const [output, ...others] = await readOutputs(await channel.submit(picture()))
    assert.equal(output?.mimeType, "image/png")
    assert.equal(output?.bytes.subarray(-8, -4).toString(), "IEND")
    assert.deepEqual(others, [])
  })

  it("give a film by a URL that wants the key", async () => {
    const before = Date.now()
    const done = await world.carryOut(film())
    assert.ok(
      done.kind === "completed" && done.outputs[0] !== undefined && "url" in done.outputs[0],
    )
    const { expiresAt = 0, headers, url } = done.outputs[0]
    assert.deepEqual(headers, { "x-goog-api-key": "key" })
    assert.ok(expiresAt >= before + 2 * 86_400_000)
    assert.equal((await fetch(url)).status, 403)
    const answer = await fetch(url, { headers: headers ?? {} })
    assert.equal(answer.headers.get("content-type"), "video/mp4")
    await answer.body?.cancel()
  })

  it("are not the edit, whose format can't be asked for", () => {
    assert.equal(channel.models.includes(imageEdit.id), false)
  })
})

const content = { kind: "refused", code: "content_policy_violation" }
const cost = { amount: 1_300, unit: "tokens" }

describeProvider(world, {
  purchases: ["picture", "film"],
  work: "film",
  ends: {
    picture: {
      "prompt-blocked": { ...content, billed: "maybe", cost },
      "image-safety": { ...content, billed: "maybe", cost },
      "no-image": { kind: "completed", outputs: [], cost },
      "text-instead": { kind: "completed", outputs: [], cost },
    },
    film: {
      "video-filtered": content,
      "video-refused": content,
      "video-failed": { kind: "not-created", reason: "provider_failed" },
    },
  },
  refused: [
    ["picture", "size", { size: "portrait_4_3" }],
    ...NO_COLOURS,
    ALWAYS_CHECKED,
    ["film", "prompt", { prompt: undefined }],
    ["film", "image_urls", { image_urls: [ONE, ONE, ONE, ONE] }],
    ["film", "video_urls", { video_urls: ["https://media.example/1.mp4"] }],
    ["film", "audio_urls", { audio_urls: ["https://media.example/1.mp3"] }],
    ["film", "generate_audio", { generate_audio: false }],
    ["film", "resolution", { resolution: "480p" }],
    ["film", "aspect_ratio", { aspect_ratio: "1:1" }],
    ["film", "duration", { duration: 5 }],
    ["film", "duration", { resolution: "1080p" }],
    ["film", "duration", { image_urls: [ONE, ONE, ONE] }],
    ["film", "bitrate_mode", { bitrate_mode: "high" }],
  ],
  taken: [
    toRequest(referenceToVideo.id, { prompt: "waves" }),
    film({ resolution: "1080p", duration: 8, image_urls: [ONE, TWO, THREE] }),
  ],
})

describe("a purchase at Gemini", () => {
  const busy = { kind: "busy", reason: "provider_busy" }
  const error = { code: 400, status: "INVALID_ARGUMENT", message: "Invalid value" }
  const details = [{ reason: "API_KEY_INVALID" }]
  const notCreated = turnedAway("provider_answered_400")
  itCreates(gemini, [
    [
      400,
      { error },
      { kind: "refused", code: "provider_rejected", providerWords: "Invalid value" },
    ],
    [400, { error: { ...error, details } }, notCreated],
    [400, { error: { ...error, status: "FAILED_PRECONDITION" } }, notCreated],
    [400, { detail: "no" }],
    [429, { error: { details: [{ retryDelay: "1.5s" }] } }, { ...busy, retryAfterMs: 1_500 }],
    [429, { error: { details: [{ retryDelay: "soon" }] } }, busy],
    [413, { error }],
    [503, { error: { ...error, status: "UNAVAILABLE" } }],
    [200, {}],
    [200, { candidates: [] }],
  ])

  it("gives the picture, and not what was drawn on the way to it", async () => {
    const toData = (text: string) =>
      Buffer.from(`\x89PNG\r\n\x1A\n${text}`, "latin1").toString("base64")
    const parts = [
      { thought: true, inlineData: { mimeType: "image/png", data: toData("a sketch") } },
      { text: "Here it is." },
      { inlineData: { mimeType: "image/png", data: toData("the picture") } },
    ]
    const done = gemini.readCreate(toReply(200, { candidates: [{ content: { parts } }] }))
    const outputs = await readOutputs(done ?? assert.fail())
    const texts = outputs.map(({ bytes }) => bytes.toString("latin1", 8))
    assert.deepEqual(texts, ["the picture"])
  })

  it("waits as long as the header says, rather than the body", () => {
    const json = { error: { details: [{ retryDelay: "1.5s" }] } }
    const reply = { ...toReply(429, json), retryAfterMs: 9_000 }
    assert.deepEqual(gemini.readCreate(reply), { ...busy, retryAfterMs: 9_000 })
  })
})

describe("an operation of Veo", () => {
  const name = "models/veo/operations/1"
  const done = { name, done: true }
  itPolls(gemini, { name }, [
    [200, { name, metadata: {} }, { kind: "running", pollAfterMs: 5_000 }],
    [200, { ...done, response: {} }, { kind: "completed", outputs: [] }],
    [
      200,
      { ...done, error: { code: 3, message: "Unsupported image size" } },
      { kind: "refused", code: "provider_rejected", providerWords: "Unsupported image size" },
    ],
    [
      200,
      { ...done, error: { code: 14, message: "away" } },
      { kind: "not-created", reason: "provider_failed" },
    ],
    [200, { done: true }],
    [404, done],
    [500, { ...done, error: { code: 13 } }],
  ])

  it("is asked about under its own name", async () => {
    await gemini.poll({ name }, ({ path }) => {
      assert.equal(path, `/v1beta/${name}`)
      return Promise.resolve(toReply(200, done))
    })
  })
})
