/** The channel of Higgsfield against its stub: what is sent, what each answer proves, how work ends. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createHttpChannel, PROVIDERS } from "@safelight/channel-http"
import { isHostWithin, referenceToVideo, type ChannelRequest, type Json } from "@safelight/core"
import {
  describeEligibility,
  describeEnds,
  describePurchase,
  describeWork,
  fetchTypes,
  openProviderWorld,
  toReply,
  turnedAway,
} from "./provider-world.ts"

const { fal, higgsfield } = PROVIDERS

const KEY = "id:secret"
const world = await openProviderWorld(higgsfield, KEY, { keyTtlMs: 3_600_000 })
const { channel, stub, toRequest } = world

const FILM = { prompt: "waves", duration: 4, image_urls: ["https://media.example/1.png"] }
const film = (): ChannelRequest => toRequest(referenceToVideo.id, FILM)

describe("Higgsfield's film", () => {
  it("is asked for in our own names, under the upstream key", async () => {
    const asked = {
      ...FILM,
      resolution: "720p",
      aspect_ratio: "9:16",
      bitrate_mode: "high",
      generate_audio: false,
      video_urls: ["https://media.example/1.mp4"],
      audio_urls: ["https://media.example/1.wav"],
    }
    const request = toRequest(referenceToVideo.id, asked)
    await channel.submit(request)
    const { body, endpoint, key } = world.bought()
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
describeEligibility(channel, referenceToVideo.id, FILM, [
  ["resolution", { resolution: "1080p" }],
  ["prompt", { prompt: undefined }],
  ["image_urls", { image_urls: [] }],
  ["image_urls", { image_urls: data("image/png") }],
  ["video_urls", { video_urls: data("video/mp4") }],
  ["audio_urls", { audio_urls: data("audio/wav") }],
])
describePurchase(world, film)
describeWork(world, film)
describeEnds(world, film, {
  nsfw: { kind: "refused", code: "content_policy_violation" },
  failed: { kind: "not-created", reason: "provider_failed" },
})

describe("a purchase at Higgsfield", () => {
  it("was not made without credits, or where the model is blocked", async () => {
    for (const [fault, reason] of [
      ["no-credits", "provider_out_of_money"],
      ["blocked", "provider_answered_423"],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one fault after the other
      const bought = await world.buyWith({ own: [fault] }, film())
      assert.deepEqual(bought, [turnedAway(reason), 0])
    }
  })

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
    const other = { ...request, parameters: { ...FILM, duration: 5 } }
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
    const request = film()
    const submitted = await channel.submit(request)
    assert.ok(submitted.kind === "accepted")
    await channel.cancel?.({ ...request, operation: submitted.operation, progress: 0 })
    const { method, path } = stub.requests.at(-1) ?? assert.fail()
    assert.ok(method === "POST" && path.endsWith("/cancel"))
  })
})
