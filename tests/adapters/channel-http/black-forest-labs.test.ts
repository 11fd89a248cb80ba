/** The channel of Black Forest Labs against its stub: jobs asked for at their own cluster, outputs in a hurry. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createHttpChannel, PROVIDERS } from "@safelight/channel-http"
import { imageEdit, textToImage, type ChannelRequest, type Json } from "@safelight/core"
import {
  describeEnds,
  describePurchase,
  describeWork,
  fetchTypes,
  openProviderWorld,
  toReply,
  itTakesNoneOf,
  turnedAway,
} from "./provider-world.ts"

const { blackForestLabs } = PROVIDERS

const world = await openProviderWorld(blackForestLabs)
const { channel, toRequest } = world

const PICTURE = { prompt: "fog", size: "landscape_16_9", enable_safety_checker: true, colors: [] }
const EDIT = {
  prompt: "warm",
  image_urls: [
    "https://media.example/1.png",
    "data:image/png;base64,AAAA",
    "https://media.example/3.png",
  ],
  output_format: "png",
  quality: "medium",
  resolution: "1k",
  aspect_ratio: "3:2",
  sync_mode: false,
  count: 1,
}
const picture = (): ChannelRequest => toRequest(textToImage.id, PICTURE)
const editOf = (parameters: object): ChannelRequest =>
  toRequest(imageEdit.id, { ...EDIT, ...parameters })

describe("the models of Black Forest Labs", () => {
  it("get exact pixels, and each reference under a name of its own", async () => {
    await channel.submit(picture())
    assert.equal(world.bought().endpoint, "flux-2-klein-4b")
    assert.deepEqual(world.bought().body, { prompt: "fog", width: 1024, height: 576 })

    await channel.submit(editOf({}))
    assert.equal(world.bought().endpoint, "flux-2-pro")
    assert.deepEqual(world.bought().body, {
      prompt: "warm",
      width: 1248,
      height: 832,
      output_format: "png",
      input_image: "https://media.example/1.png",
      input_image_2: "AAAA",
      input_image_3: "https://media.example/3.png",
    })

    await channel.submit(editOf({ quality: "low", aspect_ratio: "1:1", resolution: "2k" }))
    assert.equal(world.bought().endpoint, "flux-2-klein-9b")
    const { width, height } = world.bought().body as { width: number; height: number }
    assert.deepEqual([width, height], [2048, 2048])
  })

  it("give their output by URL, to be fetched within ten minutes", async () => {
    const before = Date.now()
    const done = await world.carryOut(picture())
    assert.deepEqual(await fetchTypes(done), ["image/jpeg"])
    assert.ok(
      done.kind === "completed" && done.outputs[0] !== undefined && "url" in done.outputs[0],
    )
    const { expiresAt = 0 } = done.outputs[0]
    assert.ok(expiresAt >= before + 600_000 && expiresAt <= Date.now() + 600_000)
    assert.deepEqual(await fetchTypes(await world.carryOut(editOf({}))), ["image/png"])
  })

  const refused: readonly (readonly [param: string, model: string, parameters: object])[] = [
    ["colors", textToImage.id, { ...PICTURE, colors: [{ r: 1, g: 2, b: 3 }] }],
    ["background_color", textToImage.id, { ...PICTURE, background_color: { r: 0, g: 0, b: 0 } }],
    ["enable_safety_checker", textToImage.id, { ...PICTURE, enable_safety_checker: false }],
    ["prompt", imageEdit.id, { ...EDIT, prompt: "" }],
    ["count", imageEdit.id, { ...EDIT, count: 2 }],
    [
      "image_urls",
      imageEdit.id,
      { ...EDIT, quality: "low", image_urls: ["1", "2", "3", "4", "5"] },
    ],
    ["output_format", imageEdit.id, { ...EDIT, output_format: "webp" }],
    ["aspect_ratio", imageEdit.id, { ...EDIT, aspect_ratio: "auto" }],
    ["resolution", imageEdit.id, { ...EDIT, aspect_ratio: "9:20", resolution: "2k" }],
  ]
  itTakesNoneOf(world, refused, (param, model) => `${param} of ${model}`)

  it("take everything else", () => {
    assert.equal(channel.accepts?.(picture()), true)
    assert.equal(channel.accepts?.(editOf({})), true)
    assert.equal(channel.accepts?.(editOf({ aspect_ratio: "2:1", resolution: "2k" })), true)
    assert.equal(channel.accepts?.(editOf({ aspect_ratio: "9:20" })), true)
  })
})

describePurchase(world, picture)
describeWork(world, picture)
const content = { kind: "refused", code: "content_policy_violation", billed: "maybe" }
describeEnds(world, picture, {
  "request-moderated": content,
  "content-moderated": content,
  error: { ...content, code: "provider_rejected" },
  failed: { ...content, code: "provider_rejected" },
})

describe("a purchase at Black Forest Labs", () => {
  it("was not made where the credits have run out", async () => {
    const poor = turnedAway("provider_out_of_money")
    assert.deepEqual(await world.buyWith({ own: ["no-credits"] }, picture()), [poor, 0])
  })

  it("waits as long as the body of a 429 says, or its header", async () => {
    const busy = { kind: "busy", reason: "provider_busy" }
    const told = await world.buyWith({ create: "busy" }, picture())
    assert.deepEqual(told, [{ ...busy, retryAfterMs: 1_000 }, 0])
    const body = { error: "rate_limit_exceeded", retry_after: 5 }
    const reply = { ...toReply(429, body), retryAfterMs: 9_000 }
    assert.deepEqual(blackForestLabs.readCreate(reply), { ...busy, retryAfterMs: 9_000 })
  })

  it("was refused where it says so in its own shape, and is in doubt in any other", () => {
    const detail = [{ loc: ["body", "width"], msg: "Field is not valid", type: "value_error" }]
    assert.deepEqual(blackForestLabs.readCreate(toReply(422, { detail })), {
      kind: "refused",
      code: "provider_rejected",
      providerWords: "Field is not valid",
    })
    const others: readonly (readonly [number, Json | undefined])[] = [
      [422, { detail: "no" }],
      [422, undefined],
      [400, { detail }],
      [200, { id: "1" }],
      [200, { polling_url: "https://api.us2.bfl.ai/v1/get_result?id=1" }],
    ]
    for (const [status, json] of others) {
      assert.equal(blackForestLabs.readCreate(toReply(status, json)), undefined)
    }
  })
})

describe("a job of Black Forest Labs", () => {
  it("is asked for again where its cluster does not know it yet", async () => {
    const request = picture()
    world.stub.setFaults({ own: ["not-found-first"] })
    const submitted = await channel.submit(request).finally(() => world.stub.setFaults({}))
    await assert.rejects(world.follow(request, submitted), { retryable: true })
    assert.equal((await world.follow(request, submitted)).kind, "completed")
  })

  it("is asked for at any cluster and at no other host: the key goes nowhere else", async () => {
    assert.deepEqual(blackForestLabs.apiHosts, ["*.bfl.ai"])
    const real = createHttpChannel({ provider: blackForestLabs, key: "key" })
    const url = "https://api.bfl.ai.attacker.example/v1/get_result?id=1"
    const operation = { id: "1", url }
    await assert.rejects(real.poll({ ...picture(), operation, progress: 0 }), {
      code: "channel-answer-invalid",
    })
    await real.close?.()
  })

  const states: readonly (readonly [status: number, json: Json, expected?: object])[] = [
    [200, { status: "Pending" }, { kind: "running", pollAfterMs: 1_000 }],
    [200, { status: "Ready", result: null }, { kind: "completed", outputs: [] }],
    [200, { status: "Queued" }],
    [200, { status: "Task not found" }],
    [500, { status: "Failed" }],
    [404, { status: "Error" }],
  ]
  for (const [status, json, expected] of states) {
    it(`stands as it says: ${status} ${JSON.stringify(json)}`, async () => {
      const send = () => Promise.resolve(toReply(status, json))
      assert.deepEqual(await blackForestLabs.poll({ id: "1", url: "/" }, send), expected)
    })
  }
})
