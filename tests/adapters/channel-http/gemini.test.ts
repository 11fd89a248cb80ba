/** The channel of the Gemini API against its stub: pictures in the answer, films behind the key, refusals with a 200. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { PROVIDERS } from "@safelight/channel-http"
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type ChannelRequest,
  type Json,
} from "@safelight/core"
import {
  describeEnds,
  describePurchase,
  describeWork,
  openProviderWorld,
  toReply,
  itTakesNoneOf,
  turnedAway,
} from "./provider-world.ts"
import { readOutputs } from "./read-outputs.ts"

const { gemini } = PROVIDERS

const world = await openProviderWorld(gemini)
const { channel, toRequest } = world

const PICTURE = { prompt: "fog", size: "square_hd", enable_safety_checker: true, colors: [] }
const [ONE, TWO, THREE] = ["AAAA", "BBBB", "CCCC"].map((data) => `data:image/png;base64,${data}`)
const FILM = { prompt: "waves", resolution: "720p", duration: 4, aspect_ratio: "9:16" }
const picture = (): ChannelRequest => toRequest(textToImage.id, PICTURE)
const filmOf = (parameters: object): ChannelRequest =>
  toRequest(referenceToVideo.id, { ...FILM, ...parameters })

describe("Gemini's models", () => {
  const image = (base64: string) => ({ bytesBase64Encoded: base64, mimeType: "image/png" })

  it("get a prompt, one picture a call", async () => {
    await channel.submit(picture())
    assert.equal(world.bought().endpoint, "gemini-3-pro-image")
    assert.deepEqual(world.bought().body, {
      contents: [{ role: "user", parts: [{ text: "fog" }] }],
      generationConfig: {
        responseModalities: ["IMAGE"],
        imageConfig: { aspectRatio: "1:1", imageSize: "1K" },
      },
    })
  })

  const films: readonly (readonly [asked: object, instance: object, parameters: object])[] = [
    [FILM, {}, { aspectRatio: "9:16", durationSeconds: 4, resolution: "720p" }],
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
      await channel.submit(toRequest(referenceToVideo.id, { prompt: "waves", ...asked }))
      assert.equal(world.bought().endpoint, "veo-3.1-generate-preview")
      const instances = [{ prompt: "waves", ...instance }]
      assert.deepEqual(world.bought().body, { instances, parameters })
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
    const done = await world.carryOut(filmOf({}))
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

  const refused: readonly (readonly [param: string, model: string, parameters: object])[] = [
    ["size", textToImage.id, { ...PICTURE, size: "portrait_4_3" }],
    ["colors", textToImage.id, { ...PICTURE, colors: [{ r: 1, g: 2, b: 3 }] }],
    ["enable_safety_checker", textToImage.id, { ...PICTURE, enable_safety_checker: false }],
    ["prompt", referenceToVideo.id, { ...FILM, prompt: undefined }],
    ["image_urls", referenceToVideo.id, { ...FILM, image_urls: [ONE, ONE, ONE, ONE] }],
    ["video_urls", referenceToVideo.id, { ...FILM, video_urls: ["https://media.example/1.mp4"] }],
    ["audio_urls", referenceToVideo.id, { ...FILM, audio_urls: ["https://media.example/1.mp3"] }],
    ["generate_audio", referenceToVideo.id, { ...FILM, generate_audio: false }],
    ["resolution", referenceToVideo.id, { ...FILM, resolution: "480p" }],
    ["aspect_ratio", referenceToVideo.id, { ...FILM, aspect_ratio: "1:1" }],
    ["duration", referenceToVideo.id, { ...FILM, duration: 5 }],
    ["duration", referenceToVideo.id, { ...FILM, resolution: "1080p" }],
    ["duration", referenceToVideo.id, { ...FILM, image_urls: [ONE, ONE, ONE] }],
    ["bitrate_mode", referenceToVideo.id, { ...FILM, bitrate_mode: "high" }],
  ]
  itTakesNoneOf(world, refused)

  it("are not the edit, whose format can't be asked for", () => {
    assert.equal(channel.models.includes(imageEdit.id), false)
  })

  it("take everything else", () => {
    assert.equal(channel.accepts?.(picture()), true)
    assert.equal(channel.accepts?.(toRequest(referenceToVideo.id, { prompt: "waves" })), true)
    const whole = { resolution: "1080p", duration: 8, image_urls: [ONE, TWO, THREE] }
    assert.equal(channel.accepts?.(filmOf(whole)), true)
  })
})

describePurchase(world, picture)
describePurchase(world, () => filmOf({}))
describeWork(world, () => filmOf({}))

const content = { kind: "refused", code: "content_policy_violation" }
const cost = { amount: 1_300, unit: "tokens" }
describeEnds(world, picture, {
  "prompt-blocked": { ...content, billed: "maybe", cost },
  "image-safety": { ...content, billed: "maybe", cost },
  "no-image": { kind: "completed", outputs: [], cost },
  "text-instead": { kind: "completed", outputs: [], cost },
})
describeEnds(world, () => filmOf({}), {
  "video-filtered": content,
  "video-refused": content,
  "video-failed": { kind: "not-created", reason: "provider_failed" },
})

describe("a purchase at Gemini", () => {
  const busy = { kind: "busy", reason: "provider_busy" }
  const error = { code: 400, status: "INVALID_ARGUMENT", message: "Invalid value" }
  const details = [{ reason: "API_KEY_INVALID" }]
  const notCreated = turnedAway("provider_answered_400")
  const answers: readonly (readonly [status: number, json: Json, expected?: object])[] = [
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
  ]
  for (const [status, json, expected] of answers) {
    it(`proves what it says: ${status} ${JSON.stringify(json)}`, () => {
      const { retryAfterMs, ...outcome } = {
        retryAfterMs: undefined,
        ...gemini.readCreate(toReply(status, json)),
      }
      const told = retryAfterMs === undefined ? outcome : { ...outcome, retryAfterMs }
      assert.deepEqual(told, expected ?? {})
    })
  }

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
  const answers: readonly (readonly [status: number, json: Json, expected?: object])[] = [
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
  ]
  for (const [status, json, expected] of answers) {
    it(`stands as it says: ${status} ${JSON.stringify(json)}`, async () => {
      const outcome = await gemini.poll({ name }, ({ path }) => {
        assert.equal(path, `/v1beta/${name}`)
        return Promise.resolve(toReply(status, json))
      })
      assert.deepEqual(outcome, expected)
    })
  }
})
