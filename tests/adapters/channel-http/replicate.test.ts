/** The channel of Replicate against its stub: what is sent, what each answer proves, how work ends. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { PROVIDERS } from "@safelight/channel-http"
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type ChannelRequest,
  type Json,
  type Refused,
} from "@safelight/core"
import {
  describeEligibility,
  describeEnds,
  describePurchase,
  describeWork,
  fetchTypes,
  openProviderWorld,
  toReply,
  withoutWords,
  turnedAway,
} from "./provider-world.ts"

const { replicate } = PROVIDERS

const world = await openProviderWorld(replicate)
const { channel, stub, toRequest } = world

const PICTURE = { prompt: "fog", size: "square_hd", enable_safety_checker: true, colors: [] }
const EDIT = {
  prompt: "warm",
  image_urls: ["https://media.example/1.png"],
  output_format: "jpeg",
  quality: "low",
  resolution: "1k",
  aspect_ratio: "auto",
  sync_mode: false,
  count: 1,
}
const FILM = { prompt: "waves", resolution: "720p", duration: 4, aspect_ratio: "9:16" }
const picture = (): ChannelRequest => toRequest(textToImage.id, PICTURE)

/** The model and its input that a request comes to. */
async function buy(model: string, parameters: object): Promise<readonly [string, unknown]> {
  await channel.submit(toRequest(model, parameters))
  const { body, endpoint } = world.bought()
  const { input, ...others } = body as { readonly input: unknown }
  assert.deepEqual(others, {})
  return [endpoint, input]
}

describe("an answer that holds what was asked for", () => {
  it("is read, however long: its purchase is neither in doubt nor lost", async () => {
    const film = toRequest(referenceToVideo.id, { ...FILM, prompt: "a".repeat(2_000_000) })
    assert.equal((await world.carryOut(film)).kind, "completed")
  })

  it("is no longer than a callback may be, however many inputs went along", async () => {
    for (const length of [255_000, 63_900]) {
      const large = (type: string): string => `data:${type};base64,${"A".repeat(length)}`
      const image_urls = Array.from({ length: 9 }, () => large("image/png"))
      const audio_urls = Array.from({ length: 3 }, () => large("audio/wav"))
      const film = toRequest(referenceToVideo.id, { ...FILM, image_urls, audio_urls })
      assert.equal((await world.carryOut(film)).kind, "completed")
      const { length: sent } = JSON.stringify(world.bought().body)
      assert.ok(sent < 800_000, String(sent))
    }
  })
})

describe("Replicate's models", () => {
  it("are Recraft's picture", async () => {
    const input = { prompt: "fog", size: "1024x1024" }
    assert.deepEqual(await buy(textToImage.id, PICTURE), ["recraft-ai/recraft-v4", input])
  })

  it("are Grok's edit of one image", async () => {
    const { image_urls, prompt, quality, resolution } = EDIT
    const input = { prompt, image: image_urls[0], quality, resolution }
    assert.deepEqual(await buy(imageEdit.id, EDIT), ["xai/grok-imagine-image-2", input])
  })

  it("are Seedance's film, with frames or with references", async () => {
    const image_urls = ["https://media.example/1.png", "https://media.example/2.png"]
    const [image, last_frame_image] = image_urls
    const asked = { ...FILM, generate_audio: true, bitrate_mode: "standard", image_urls }
    const input = { ...FILM, generate_audio: true, image, last_frame_image }
    assert.deepEqual(await buy(referenceToVideo.id, asked), ["bytedance/seedance-2.0", input])
    const audio_urls = ["https://media.example/1.wav"]
    const video_urls = ["https://media.example/1.mp4"]
    const [, references] = await buy(referenceToVideo.id, {
      ...FILM,
      image_urls,
      video_urls,
      audio_urls,
    })
    assert.deepEqual(references, {
      ...FILM,
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
    const film = await world.carryOut(toRequest(referenceToVideo.id, FILM))
    assert.deepEqual(await fetchTypes(film), ["video/mp4"])
    const several = await read({ status: "succeeded", output: ["https://a/1", "https://a/2"] })
    assert.deepEqual(several, {
      kind: "completed",
      outputs: [{ url: "https://a/1" }, { url: "https://a/2" }],
    })
  })
})

const urls = (count: number): readonly string[] => Array(count).fill("https://media.example/1")

describeEligibility(channel, textToImage.id, PICTURE, [
  ["size", { size: "square" }],
  ["enable_safety_checker", { enable_safety_checker: false }],
  ["colors", { colors: [{ r: 1, g: 2, b: 3 }] }],
  ["background_color", { background_color: { r: 1, g: 2, b: 3 } }],
])
describeEligibility(channel, imageEdit.id, EDIT, [
  ["image_urls", { image_urls: urls(2) }],
  ["count", { count: 2 }],
  ["aspect_ratio", { aspect_ratio: "1:1" }],
  ["output_format", { output_format: "png" }],
])
describeEligibility(channel, referenceToVideo.id, { ...FILM, duration: 15, image_urls: urls(9) }, [
  ["prompt", { prompt: "" }],
  ["duration", { duration: 16 }],
  ["image_urls", { image_urls: urls(10) }],
  ["video_urls", { video_urls: urls(4) }],
  ["audio_urls", { audio_urls: urls(4) }],
  ["audio_urls", { image_urls: [], audio_urls: urls(1) }],
  ["resolution", { resolution: "1080p" }],
])

describePurchase(world, picture)
describeWork(world, picture)
/** The stub's machine takes no time. */
const cost = { amount: 0, unit: "predict_seconds" }
const billed = { billed: "maybe", cost }
/** Another channel may make it. */
const machineFailed = { kind: "not-created", reason: "provider_failed", cost }
describeEnds(world, picture, {
  sensitive: { kind: "refused", code: "content_policy_violation", ...billed },
  nsfw: { kind: "refused", code: "content_policy_violation", ...billed },
  failure: { kind: "refused", code: "provider_rejected", ...billed },
  memory: machineFailed,
  interrupted: machineFailed,
  demand: machineFailed,
  director: machineFailed,
})

describe("a purchase at Replicate", () => {
  it("was not made without credit", async () => {
    const refused = turnedAway("provider_out_of_money")
    assert.deepEqual(await world.buyWith({ own: ["no-credits"] }, picture()), [refused, 0])
  })

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
    const request = picture()
    const submitted = await channel.submit(request)
    assert.ok(submitted.kind === "accepted")
    await channel.cancel?.({ ...request, operation: submitted.operation, progress: 0 })
    const { method, path } = stub.requests.at(-1) ?? assert.fail()
    assert.ok(method === "POST" && path.endsWith("/cancel"))
  })
})
