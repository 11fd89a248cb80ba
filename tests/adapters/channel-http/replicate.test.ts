/** The channel of Replicate against its stub: what is sent, what each answer proves, how work ends. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { PROVIDERS } from "@safelight/channel-http"
import type { ChannelRequest, Json, Refused } from "@safelight/core"
import { ALWAYS_CHECKED, describeProvider, NO_COLOURS } from "./describe-provider.ts"
import {
  EDIT,
  FILM,
  fetchTypes,
  openProviderWorld,
  toReply,
  turnedAway,
  withoutWords,
} from "./provider-world.ts"

const { replicate } = PROVIDERS

const world = await openProviderWorld(replicate, {
  edit: { quality: "low" },
  film: { aspect_ratio: "9:16" },
})
const { channel, edit, film, picture, stub } = world

/** The model of Replicate and its input. */
async function buy(request: ChannelRequest): Promise<readonly [string, unknown]> {
  const { body, endpoint } = await world.buy(request)
  const { input, ...others } = body as { readonly input: unknown }
  assert.deepEqual(others, {})
  return [endpoint, input]
}

describe("an answer that holds what was asked for", () => {
  it("is read, however long: its purchase is neither in doubt nor lost", async () => {
    const request = film({ prompt: "a".repeat(2_000_000) })
    assert.equal((await world.carryOut(request)).kind, "completed")
  })

  it("is no longer than a callback may be, however many inputs went along", async () => {
    for (const length of [255_000, 63_900]) {
      const large = (type: string): string => `data:${type};base64,${"A".repeat(length)}`
      const image_urls = Array.from({ length: 9 }, () => large("image/png"))
      const audio_urls = Array.from({ length: 3 }, () => large("audio/wav"))
      assert.equal((await world.carryOut(film({ image_urls, audio_urls }))).kind, "completed")
      const { length: sent } = JSON.stringify(world.bought().body)
      assert.ok(sent < 800_000, String(sent))
    }
  })
})

describe("Replicate's models", () => {
  it("are Recraft's picture", async () => {
    const input = { prompt: "fog", size: "1024x1024" }
    assert.deepEqual(await buy(picture()), ["recraft-ai/recraft-v4", input])
  })

  it("are Grok's edit of one image", async () => {
    const { image_urls, prompt, resolution } = EDIT
    const input = { prompt, image: image_urls[0], quality: "low", resolution }
    assert.deepEqual(await buy(edit()), ["xai/grok-imagine-image-2", input])
  })

  it("are Seedance's film, with frames or with references", async () => {
    const image_urls = ["https://media.example/1.png", "https://media.example/2.png"]
    const [image, last_frame_image] = image_urls
    const asked = { generate_audio: true, bitrate_mode: "standard", image_urls }
    const common = { ...FILM, aspect_ratio: "9:16" }
    const input = { ...common, generate_audio: true, image, last_frame_image }
    assert.deepEqual(await buy(film(asked)), ["bytedance/seedance-2.0", input])
    const audio_urls = ["https://media.example/1.wav"]
    const video_urls = ["https://media.example/1.mp4"]
    const [, references] = await buy(film({ image_urls, video_urls, audio_urls }))
    assert.deepEqual(references, {
      ...common,
      reference_images: image_urls,
      reference_videos: video_urls,
      reference_audios: audio_urls,
    })
  })

  it("give their outputs by URL for an hour, one or several", async () => {
    const done = await world.carryOut(picture())
    assert.deepEqual(await fetchTypes(done), ["image/webp"])
    assert.ok(done.kind === "completed")
    const [output] = done.outputs
    assert.ok(output !== undefined && "url" in output)
    const leftMs = (output.expiresAt ?? 0) - Date.now()
    assert.ok(leftMs > 60 * 60_000 && leftMs <= 65 * 60_000)
    assert.deepEqual(await fetchTypes(await world.carryOut(film())), ["video/mp4"])
    const several = await read({ status: "succeeded", output: ["https://a/1", "https://a/2"] })
    assert.deepEqual(several, {
      kind: "completed",
      outputs: [{ url: "https://a/1" }, { url: "https://a/2" }],
    })
  })
})

const urls = (count: number): readonly string[] => Array(count).fill("https://media.example/1")

/** The stub's machine takes no time. */
const cost = { amount: 0, unit: "predict_seconds" }
const billed = { billed: "maybe", cost }
/** Another channel may make it. */
const machineFailed = { kind: "not-created", reason: "provider_failed", cost }

describeProvider(world, {
  purchases: ["picture"],
  work: "picture",
  ends: {
    picture: {
      sensitive: { kind: "refused", code: "content_policy_violation", ...billed },
      nsfw: { kind: "refused", code: "content_policy_violation", ...billed },
      failure: { kind: "refused", code: "provider_rejected", ...billed },
      memory: machineFailed,
      interrupted: machineFailed,
      demand: machineFailed,
      director: machineFailed,
    },
  },
  unmade: { "no-credits": turnedAway("provider_out_of_money") },
  refused: [
    ["picture", "size", { size: "square" }],
    ...NO_COLOURS,
    ALWAYS_CHECKED,
    ["edit", "image_urls", { image_urls: urls(2) }],
    ["edit", "count", { count: 2 }],
    ["edit", "aspect_ratio", { aspect_ratio: "1:1" }],
    ["edit", "output_format", { output_format: "png" }],
    ["film", "prompt", { prompt: "" }],
    ["film", "duration", { duration: 16 }],
    ["film", "image_urls", { image_urls: urls(10) }],
    ["film", "video_urls", { video_urls: urls(4) }],
    ["film", "audio_urls", { image_urls: urls(9), audio_urls: urls(4) }],
    ["film", "audio_urls", { audio_urls: urls(1) }],
    ["film", "resolution", { resolution: "1080p" }],
  ],
  taken: [film({ duration: 15, image_urls: urls(9) })],
})

describe("a purchase at Replicate", () => {
  it("is refused where its input is wrong, in Replicate's own words alone", async () => {
    const refused = { kind: "refused", code: "provider_rejected", providerWords: "size is wrong" }
    for (const status of [400, 413, 422]) {
      assert.deepEqual(replicate.readCreate(toReply(status, { detail: "size is wrong" })), refused)
      assert.equal(replicate.readCreate(toReply(status)), undefined)
    }
    const [outcome, bought] = await world.buyWith({ own: ["bad-request"] }, picture())
    assert.deepEqual([(outcome as Refused).kind, bought], ["refused", 0])
  })

  it("is taken in whether it waited or not, and in doubt without a handle", () => {
    const json = { urls: { get: "https://api.replicate.com/v1/predictions/1" } }
    for (const status of [201, 202]) {
      const outcome = replicate.readCreate(toReply(status, json))
      const operation = { get: json.urls.get, cancel: null }
      assert.deepEqual(outcome, { kind: "accepted", operation })
      assert.equal(replicate.readCreate(toReply(status, {})), undefined)
    }
  })
})

async function read(json: Json | undefined): Promise<unknown> {
  return replicate.poll({ get: "/get" }, async () => toReply(200, json))
}

describe("a prediction of Replicate", () => {
  it("is waited for while it starts and runs", async () => {
    for (const status of ["starting", "processing"]) {
      assert.deepEqual(await read({ status }), { kind: "running", pollAfterMs: 2_000 })
    }
  })

  it("is over where it was called off", async () => {
    for (const status of ["aborted", "canceled"]) {
      assert.deepEqual(await read({ status }), { kind: "refused", code: "task_cancelled" })
    }
  })

  it("is given up once Replicate has removed what it made, and not before", async () => {
    const done = { status: "succeeded", output: null }
    assert.equal(await read({ ...done, status: "new" }), undefined)
    const gone = { kind: "refused", code: "no_output" }
    assert.deepEqual(await read({ ...done, data_removed: true }), gone)
  })

  it("is over without a file where it succeeded and made none", async () => {
    const nothing = { kind: "completed", outputs: [] }
    for (const output of [null, [], {}, "a caption"]) {
      assert.deepEqual(await read({ status: "succeeded", output, data_removed: false }), nothing)
    }
  })

  it("gives what it made in any form that a model has for it", async () => {
    const [one, two] = ["https://replicate.delivery/1.png", "https://replicate.delivery/2.png"]
    for (const output of [
      [one, two],
      { images: [one, two], caption: "fog" },
      { first: { url: one, size: 7 }, second: { url: two } },
      [{ image: one }, { image: two }],
    ]) {
      assert.deepEqual(await read({ status: "succeeded", output }), {
        kind: "completed",
        outputs: [{ url: one }, { url: two }],
      })
    }
  })

  it("keeps Replicate's own words beside what they mean", async () => {
    const outcome = await read({ status: "failed", error: "NSFW content detected" })
    assert.equal((outcome as { providerWords?: string }).providerWords, "NSFW content detected")
    const told = withoutWords(outcome as Parameters<typeof withoutWords>[0])
    assert.deepEqual(told, {
      kind: "refused",
      code: "content_policy_violation",
      billed: "maybe",
    })
  })

  it("is cancelled where Replicate says", async () => {
    await channel.cancel?.(await world.begin(picture()))
    const { method, path } = stub.requests.at(-1) ?? assert.fail()
    assert.ok(method === "POST" && path.endsWith("/cancel"))
  })
})
