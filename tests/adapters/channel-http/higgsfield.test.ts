/** The channel of Higgsfield against its stub: what is sent, what each answer proves, how work ends. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createHttpChannel, PROVIDERS } from "@safelight/channel-http"
import { isHostWithin, type Json } from "@safelight/core"
import { describeProvider } from "./describe-provider.ts"
import { FILM, fetchTypes, openProviderWorld, toReply, turnedAway } from "./provider-world.ts"

const { fal, higgsfield } = PROVIDERS

const KEY = "id:secret"
const image_urls = ["https://media.example/1.png"]
const world = await openProviderWorld(higgsfield, {
  key: KEY,
  keyTtlMs: 3_600_000,
  film: { image_urls },
})
const { channel, film, stub } = world

describe("Higgsfield's film", () => {
  it("is asked for in our own names, under the upstream key", async () => {
    const asked = {
      ...FILM,
      image_urls,
      aspect_ratio: "9:16",
      bitrate_mode: "high",
      generate_audio: false,
      video_urls: ["https://media.example/1.mp4"],
      audio_urls: ["https://media.example/1.wav"],
    }
    const request = film(asked)
    const { body, endpoint, key } = await world.buy(request)
    assert.equal(endpoint, "bytedance/seedance-2.5/reference-to-video")
    assert.equal(key, request.upstreamKey)
    assert.deepEqual(body, asked)
  })

  it("may lie at the distribution that Higgsfield hands out, and at nobody else's", () => {
    const { hosts = [] } = channel.outputOrigins ?? {}
    const isFetched = (host: string) => hosts.some((own) => isHostWithin(host, own))
    assert.ok(isFetched("d8j0ntlcm91z4.cloudfront.net") && isFetched("files.higgsfield.ai"))
    assert.ok(!isFetched("d0000000000000.cloudfront.net"))
  })

  it("is given by URL", async () => {
    assert.deepEqual(await fetchTypes(await world.carryOut(film())), ["video/mp4"])
  })
})

const data = (type: string): readonly string[] => [`data:${type};base64,AAAA`]

describeProvider(world, {
  purchases: ["film"],
  work: "film",
  ends: {
    film: {
      nsfw: { kind: "refused", code: "content_policy_violation" },
      failed: { kind: "not-created", reason: "provider_failed" },
    },
  },
  unmade: {
    "no-credits": turnedAway("provider_out_of_money"),
    blocked: turnedAway("provider_answered_423"),
  },
  refused: [
    ["film", "resolution", { resolution: "1080p" }],
    ["film", "prompt", { prompt: undefined }],
    ["film", "image_urls", { image_urls: [] }],
    ["film", "image_urls", { image_urls: data("image/png") }],
    ["film", "video_urls", { video_urls: data("video/mp4") }],
    ["film", "audio_urls", { audio_urls: data("audio/wav") }],
  ],
})

describe("a purchase at Higgsfield", () => {
  it("is refused where there is a fault in it, in Higgsfield's own words alone", () => {
    for (const status of [400, 422]) {
      const providerWords = "Unknown field: colour"
      assert.deepEqual(higgsfield.readCreate(toReply(status, { detail: providerWords })), {
        kind: "refused",
        code: "provider_rejected",
        providerWords,
      })
      assert.equal(higgsfield.readCreate(toReply(status)), undefined)
    }
    assert.equal(higgsfield.readCreate(toReply(200, { request_id: "1" })), undefined)
  })

  it("is the same one whatever became of it", async () => {
    const request = film()
    await world.carryOut(request)
    const { id } = world.bought()
    const [again, bought] = await world.buyWith({}, request)
    assert.equal(bought, 0)
    assert.ok(JSON.stringify(again).includes(id))
  })

  it("stays in doubt where its key is held for another request", async () => {
    const request = film()
    await channel.submit(request)
    const other = { ...request, parameters: film({ duration: 5 }).parameters }
    assert.deepEqual(await world.buyWith({}, other), ["channel-answer-invalid", 0])
  })
})

describe("the life of a key at Higgsfield", () => {
  const create = (keyTtlMs?: number, provider = higgsfield) =>
    createHttpChannel({ provider, key: KEY, ...(keyTtlMs !== undefined && { keyTtlMs }) })

  it("is what whoever runs the channel says, and nothing is sent again until then", async () => {
    const unkeyed = create()
    assert.deepEqual(unkeyed.submission, { kind: "unkeyed" })
    assert.deepEqual(channel.submission, { kind: "keyed", keyTtlMs: 3_600_000 })
    await unkeyed.close?.()
  })

  it("can't be said of a provider that honours none, and is a time", () => {
    for (const [keyTtlMs, provider] of [
      [1_000, fal],
      [0, higgsfield],
    ] as const) {
      assert.throws(() => create(keyTtlMs, provider), { code: "invalid-configuration" })
    }
  })
})

describe("a request at Higgsfield", () => {
  const read = (json: Json) => higgsfield.poll({ state: "/state" }, async () => toReply(200, json))

  it("is waited for while it queues and runs", async () => {
    for (const status of ["queued", "in_progress"]) {
      assert.deepEqual(await read({ status }), { kind: "running", pollAfterMs: 2_000 })
    }
  })

  it("is not given up for a state that we don't know", async () => {
    assert.equal(await read({ status: "new" }), undefined)
  })

  it("is over where it is completed without a film: there is nothing to wait for", async () => {
    assert.deepEqual(await read({ status: "completed" }), { kind: "completed", outputs: [] })
  })

  it("is cancelled where Higgsfield says", async () => {
    assert.deepEqual(await read({ status: "canceled" }), {
      kind: "refused",
      code: "task_cancelled",
    })
    await channel.cancel?.(await world.begin(film()))
    const { method, path } = stub.requests.at(-1) ?? assert.fail()
    assert.ok(method === "POST" && path.endsWith("/cancel"))
  })
})
