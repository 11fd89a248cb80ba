/** The channel of xAI against its stub: pictures with the answer, films asked for, and silent moderation. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { PROVIDERS } from "@safelight/channel-http"
import { imageEdit, referenceToVideo, type ChannelRequest, type Json } from "@safelight/core"
import {
  describeEnds,
  describePurchase,
  describeWork,
  fetchTypes,
  openProviderWorld,
  toReply,
  itTakesNoneOf,
} from "./provider-world.ts"

const { xai } = PROVIDERS

const world = await openProviderWorld(xai)
const { channel, toRequest } = world

const EDIT = {
  prompt: "warm",
  image_urls: ["https://media.example/1.png", "data:image/png;base64,AAAA"],
  output_format: "png",
  quality: "low",
  resolution: "2k",
  aspect_ratio: "19.5:9",
  sync_mode: false,
  count: 2,
}
const FILM = { prompt: "waves", resolution: "720p", duration: 5, aspect_ratio: "9:16" }
const edit = (): ChannelRequest => toRequest(imageEdit.id, EDIT)
const film = (): ChannelRequest => toRequest(referenceToVideo.id, FILM)

describe("xAI's models", () => {
  it("are asked in its own words, which are nearly ours", async () => {
    await channel.submit(edit())
    const { sync_mode: _sync, count, image_urls: images, ...same } = EDIT
    assert.deepEqual(world.bought().body, {
      ...same,
      model: "grok-imagine-image-2.0",
      images: images.map((url) => ({ url, type: "image_url" })),
      n: count,
      response_format: "url",
    })

    const [one = ""] = images
    await channel.submit(toRequest(imageEdit.id, { ...EDIT, image_urls: [one] }))
    const { images: several, image } = world.bought().body as Readonly<Record<string, unknown>>
    assert.deepEqual([several, image], [undefined, { url: one, type: "image_url" }])

    await channel.submit(film())
    assert.deepEqual(world.bought().body, { ...FILM, model: "grok-imagine-video-1.5" })

    const images7 = Array.from({ length: 7 }, (_, index) => `https://media.example/${index}.png`)
    const own = { prompt: "they meet", image_urls: images7, generate_audio: false }
    await channel.submit(toRequest(referenceToVideo.id, { ...own, bitrate_mode: "standard" }))
    assert.deepEqual(world.bought().body, {
      model: "grok-imagine-video-1.5",
      prompt: "they meet",
      generate_audio: false,
      reference_images: images7.map((url) => ({ url })),
    })
  })

  it("give their outputs by URL, in order", async () => {
    const pictures = await world.carryOut(edit())
    assert.deepEqual(await fetchTypes(pictures), ["image/png", "image/png"])
    assert.deepEqual(await fetchTypes(await world.carryOut(film())), ["video/mp4"])
  })

  it("give pictures to whoever holds the operation, without asking for them", async () => {
    const request = edit()
    const bought = await channel.submit(request)
    assert.ok(bought.kind === "accepted")
    const asked = world.stub.requests.length
    const { operation } = bought
    const done = await channel.poll({ ...request, operation, parameters: undefined, progress: 0 })
    assert.ok(done.kind === "completed" && done.outputs.length === 2)
    assert.equal(world.stub.requests.length, asked)
  })

  const images = (count: number) =>
    Array.from({ length: count }, () => "https://media.example/1.png")
  const refused: readonly (readonly [param: string, model: string, parameters: object])[] = [
    ["image_urls", imageEdit.id, { ...EDIT, image_urls: images(4) }],
    ["output_format", imageEdit.id, { ...EDIT, output_format: "webp" }],
    ["prompt", referenceToVideo.id, { ...FILM, prompt: undefined }],
    ["image_urls", referenceToVideo.id, { ...FILM, image_urls: images(8) }],
    ["video_urls", referenceToVideo.id, { ...FILM, video_urls: ["https://media.example/1.mp4"] }],
    ["audio_urls", referenceToVideo.id, { ...FILM, audio_urls: ["https://media.example/1.mp3"] }],
    ["duration", referenceToVideo.id, { ...FILM, duration: 16 }],
    ["duration", referenceToVideo.id, { ...FILM, image_urls: images(1), duration: 11 }],
    ["resolution", referenceToVideo.id, { ...FILM, image_urls: images(1), resolution: "1080p" }],
    ["aspect_ratio", referenceToVideo.id, { ...FILM, aspect_ratio: "21:9" }],
    ["bitrate_mode", referenceToVideo.id, { ...FILM, bitrate_mode: "high" }],
  ]
  itTakesNoneOf(world, refused)

  it("take everything else", () => {
    assert.equal(channel.accepts?.(edit()), true)
    assert.equal(channel.accepts?.(film()), true)
    const long = { ...FILM, duration: 15, resolution: "1080p" }
    assert.equal(channel.accepts?.(toRequest(referenceToVideo.id, long)), true)
    const referring = { ...FILM, duration: 10, image_urls: images(7), bitrate_mode: "standard" }
    assert.equal(channel.accepts?.(toRequest(referenceToVideo.id, referring)), true)
  })
})

describePurchase(world, film)
describePurchase(world, edit)
describeWork(world, film)

const withheld = { kind: "refused", code: "content_policy_violation" }
const usd = (amount: number) => ({ amount, unit: "usd" })
describeEnds(world, edit, {
  "empty-data": { ...withheld, billed: { images: 1, outputVideoMs: 0 }, cost: usd(0.08) },
  "block-reason": { ...withheld, billed: { images: 1, outputVideoMs: 0 }, cost: usd(0.08) },
  disrespected: { ...withheld, billed: { images: 2, outputVideoMs: 0 }, cost: usd(0.08) },
})
describeEnds(world, film, {
  "video-moderated": { ...withheld, billed: { images: 0, outputVideoMs: 5_000 }, cost: usd(0.25) },
  "video-failed": { kind: "refused", code: "provider_rejected", billed: "maybe" },
  "video-expired": { kind: "refused", code: "no_output", billed: "maybe" },
})

describe("an answer of xAI", () => {
  it("may have billed where it tells no cost, bills none of 0, and keeps what is shown", () => {
    const untold = { ...withheld, billed: "maybe" }
    assert.deepEqual(xai.readCreate(toReply(200, { data: [] })), untold)
    const free = { data: [], usage: { cost_in_usd_ticks: 0 } }
    assert.deepEqual(xai.readCreate(toReply(200, free)), withheld)
    const hidden = { url: "https://imgen.x.ai/1.png", respect_moderation: false }
    const shown = { url: "https://imgen.x.ai/2.png", respect_moderation: true }
    assert.deepEqual(xai.readCreate(toReply(200, { data: [hidden, shown] })), {
      kind: "accepted",
      operation: { urls: [shown.url], ticks: null },
    })
  })

  it("tells a refusal for its content from a problem of the key by its words", () => {
    const texts = [
      "Content violates usage guidelines.",
      "Generated image rejected by content moderation.",
    ]
    for (const error of texts) {
      const refusal = { kind: "refused", code: "content_policy_violation", providerWords: error }
      for (const status of [400, 403, 422]) {
        assert.deepEqual(xai.readCreate(toReply(status, { error })), refusal)
      }
    }
    const away = { kind: "not-created", reason: "provider_answered_403" }
    assert.deepEqual(xai.readCreate(toReply(403, { error: "no access" })), away)
  })

  it("refuses a request in xAI's own shape alone", () => {
    const json = { code: "invalid_request", error: "`duration` is from 1 to 15" }
    for (const status of [400, 422]) {
      const refusal = { kind: "refused", code: "provider_rejected", providerWords: json.error }
      assert.deepEqual(xai.readCreate(toReply(status, json)), refusal)
      assert.equal(xai.readCreate(toReply(status, "no")), undefined)
    }
    assert.equal(xai.readCreate(toReply(200, {})), undefined)
    assert.equal(xai.readCreate(toReply(202, { data: [] })), undefined)
    assert.equal(xai.readCreate(toReply(415, json)), undefined)
  })

  const states: readonly (readonly [status: number, json: Json | undefined, expected?: object])[] =
    [
      [202, undefined, { kind: "running", pollAfterMs: 3_000 }],
      [
        202,
        { status: "pending", progress: 40 },
        { kind: "running", pollAfterMs: 3_000, progress: 40 },
      ],
      [200, { status: "pending" }, { kind: "running", pollAfterMs: 3_000 }],
      [200, { status: "paused" }],
      [
        200,
        { status: "done", video: { respect_moderation: true } },
        { kind: "completed", outputs: [] },
      ],
      [
        200,
        { video: { url: "https://vidgen.x.ai/1.mp4", duration: 5 } },
        { kind: "completed", outputs: [{ url: "https://vidgen.x.ai/1.mp4" }] },
      ],
      [200, { video: {} }],
      [400, { status: "failed" }],
      [401, { code: "unauthenticated", error: "no" }],
    ]
  for (const [status, json, expected] of states) {
    it(`about a film says what it says: ${status} ${JSON.stringify(json)}`, async () => {
      const outcome = await xai.poll({ id: "1" }, () => Promise.resolve(toReply(status, json)))
      assert.deepEqual(outcome, expected)
    })
  }
})
