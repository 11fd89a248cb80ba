/** The channel of xAI against its stub: pictures with the answer, films asked for, and silent moderation. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { PROVIDERS } from "@safelight/channel-http"
import { referenceToVideo } from "@safelight/core"
import { describeProvider, itPolls } from "./describe-provider.ts"
import { EDIT, FILM, fetchTypes, openProviderWorld, toReply } from "./provider-world.ts"

const { xai } = PROVIDERS

const EDIT_CHANGES = {
  image_urls: ["https://media.example/1.png", "data:image/png;base64,AAAA"],
  output_format: "png",
  quality: "low",
  resolution: "2k",
  aspect_ratio: "19.5:9",
  count: 2,
}
const FILM_CHANGES = { duration: 5, aspect_ratio: "9:16" }
const world = await openProviderWorld(xai, { edit: EDIT_CHANGES, film: FILM_CHANGES })
const { channel, edit, film } = world

describe("xAI's models", () => {
  it("are asked in its own words, which are nearly ours", async () => {
    const { sync_mode: _sync, count, image_urls: images, ...same } = { ...EDIT, ...EDIT_CHANGES }
    assert.deepEqual((await world.buy(edit())).body, {
      ...same,
      model: "grok-imagine-image-2.0",
      images: images.map((url) => ({ url, type: "image_url" })),
      n: count,
      response_format: "url",
    })

    const [one = ""] = images
    const { body } = await world.buy(edit({ image_urls: [one] }))
    const { images: several, image } = body as Readonly<Record<string, unknown>>
    assert.deepEqual([several, image], [undefined, { url: one, type: "image_url" }])

    const filmed = { ...FILM, ...FILM_CHANGES, model: "grok-imagine-video-1.5" }
    assert.deepEqual((await world.buy(film())).body, filmed)

    const images7 = Array.from({ length: 7 }, (_, index) => `https://media.example/${index}.png`)
    const own = { prompt: "they meet", image_urls: images7, generate_audio: false }
    const request = world.toRequest(referenceToVideo.id, { ...own, bitrate_mode: "standard" })
    assert.deepEqual((await world.buy(request)).body, {
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
    const work = await world.begin(edit())
    const asked = world.stub.requests.length
    const done = await channel.poll({ ...work, parameters: undefined })
    assert.ok(done.kind === "completed" && done.outputs.length === 2)
    assert.equal(world.stub.requests.length, asked)
  })
})

const images = (count: number): readonly string[] =>
  Array(count).fill("https://media.example/1.png")
const withheld = { kind: "refused", code: "content_policy_violation" }
const usd = (amount: number) => ({ amount, unit: "usd" })

describeProvider(world, {
  purchases: ["film", "edit"],
  work: "film",
  ends: {
    edit: {
      "empty-data": { ...withheld, billed: { images: 1, outputVideoMs: 0 }, cost: usd(0.08) },
      "block-reason": { ...withheld, billed: { images: 1, outputVideoMs: 0 }, cost: usd(0.08) },
      disrespected: { ...withheld, billed: { images: 2, outputVideoMs: 0 }, cost: usd(0.08) },
    },
    film: {
      "video-moderated": {
        ...withheld,
        billed: { images: 0, outputVideoMs: 5_000 },
        cost: usd(0.25),
      },
      "video-failed": { kind: "refused", code: "provider_rejected", billed: "maybe" },
      "video-expired": { kind: "refused", code: "no_output", billed: "maybe" },
    },
  },
  refused: [
    ["edit", "image_urls", { image_urls: images(4) }],
    ["edit", "output_format", { output_format: "webp" }],
    ["film", "prompt", { prompt: undefined }],
    ["film", "image_urls", { image_urls: images(8) }],
    ["film", "video_urls", { video_urls: ["https://media.example/1.mp4"] }],
    ["film", "audio_urls", { audio_urls: ["https://media.example/1.mp3"] }],
    ["film", "duration", { duration: 16 }],
    ["film", "duration", { image_urls: images(1), duration: 11 }],
    ["film", "resolution", { image_urls: images(1), resolution: "1080p" }],
    ["film", "aspect_ratio", { aspect_ratio: "21:9" }],
    ["film", "bitrate_mode", { bitrate_mode: "high" }],
  ],
  taken: [
    film({ duration: 15, resolution: "1080p" }),
    film({ duration: 10, image_urls: images(7), bitrate_mode: "standard" }),
  ],
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

  itPolls(xai, { id: "1" }, [
    [202, undefined, { kind: "running", pollAfterMs: 3_000 }],
    [
      202,
      { status: "pending", progress: 40 },
      { kind: "running", pollAfterMs: 3_000, progress: 40 },
    ],
    [200, { status: "pending" }, { kind: "running", pollAfterMs: 3_000 }],
    [202, { status: "pending", progress: 130 }, { kind: "running", pollAfterMs: 3_000 }],
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
  ])
})
