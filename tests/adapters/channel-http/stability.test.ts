/** The channel of Stability AI against its stub: forms go out, pictures come back as bytes, and nothing is asked for again. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createHttpChannel, PROVIDERS } from "@safelight/channel-http"
import { ALWAYS_CHECKED, describeProvider, itCreates, NO_COLOURS } from "./describe-provider.ts"
import { openProviderWorld, toReply, turnedAway } from "./provider-world.ts"
import { readOutputs } from "./read-outputs.ts"

const { stability } = PROVIDERS

const world = await openProviderWorld(stability)
const { picture, stub, toRequest } = world

const PNG = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex")
const PICTURE = { mimeType: "image/png", bytes: PNG }

describe("Stability's pictures", () => {
  it("are asked for by a form, at exactly our square", async () => {
    const { body, endpoint } = await world.buy(picture())
    assert.deepEqual(body, {
      model: "sd3.5-large-turbo",
      prompt: "fog",
      aspect_ratio: "1:1",
      output_format: "png",
    })
    assert.equal(endpoint, "sd3")
    assert.equal(stub.requests.at(-1)?.headers["accept"], "image/*")
  })

  it("come as the bytes of the answer", async () => {
    const [output] = await readOutputs(await world.channel.submit(picture()))
    assert.equal(output?.mimeType, "image/png")
    assert.equal(output.bytes.subarray(-8, -4).toString(), "IEND")
  })
})

describe("another model of Stability", () => {
  const image = `data:image/png;base64,${PNG.toString("base64")}`
  const file = { name: "input", type: "image/png", size: PNG.length }
  const sent: readonly (readonly [model: string, asked: object, endpoint: string, body: object])[] =
    [
      ["core", { prompt: "fog", style_preset: "anime" }, "core", { style_preset: "anime" }],
      ["ultra", { prompt: "fog", image, strength: 0.5 }, "ultra", { image: file, strength: "0.5" }],
      ["sd3.5-medium", { prompt: "fog", seed: 7 }, "sd3", { model: "sd3.5-medium", seed: "7" }],
      [
        "stable-image/edit/inpaint",
        { prompt: "fog", image, mask: image, grow_mask: 2 },
        "stable-image/edit/inpaint",
        { image: file, mask: file, grow_mask: "2" },
      ],
    ]
  for (const [model, asked, endpoint, body] of sent) {
    it(`is asked for by its name: ${model}`, async () => {
      const channel = createHttpChannel({
        provider: stability,
        key: "key",
        baseUrl: stub.url,
        models: [model],
      })
      const [output] = await readOutputs(await channel.submit(toRequest(model, asked)))
      assert.equal(output?.mimeType, "image/png")
      const bought = world.bought()
      assert.equal(bought.endpoint, endpoint)
      assert.deepEqual(bought.body, { prompt: "fog", ...body })
      await channel.close?.()
    })
  }
})

it("a model of sounds at Stability is asked for by its path, and its sound comes as the bytes of the answer", async () => {
  const model = "acme/sound"
  const channel = createHttpChannel({
    provider: stability,
    key: "key",
    baseUrl: stub.url,
    upstreams: {
      [model]: { model: "audio/stable-audio-2/text-to-audio", artifacts: ["audio"] },
    },
    models: [model],
  })
  const asked = { prompt: "fog", duration: 20, model: "stable-audio-2.5" }
  const [output] = await readOutputs(await channel.submit(toRequest(model, asked)))
  assert.equal(output?.mimeType, "audio/wav")
  assert.equal(output.bytes.subarray(0, 4).toString(), "RIFF")
  const { body, endpoint } = world.bought()
  assert.equal(endpoint, "audio/stable-audio-2/text-to-audio")
  assert.deepEqual(body, { ...asked, duration: "20" })
  assert.equal(stub.requests.at(-1)?.headers["accept"], "audio/*")
  await channel.close?.()
})

describeProvider(world, {
  purchases: ["picture"],
  answersBytes: true,
  ends: {
    picture: {
      moderation: { kind: "refused", code: "content_policy_violation" },
      filtered: { kind: "refused", code: "content_policy_violation", billed: "maybe" },
    },
  },
  unmade: { "no-credits": turnedAway("provider_out_of_money") },
  refused: [["picture", "size", { size: "square" }], ...NO_COLOURS, ALWAYS_CHECKED],
})

describe("a purchase at Stability", () => {
  const errors = ["prompt: is required"]
  const rejected = {
    kind: "refused",
    code: "provider_rejected",
    providerWords: "prompt: is required",
  }
  itCreates(stability, [
    [400, { id: "1", name: "bad_request", errors }, rejected],
    [413, { id: "1", name: "payload_too_large", errors }, rejected],
    [422, { id: "1", name: "invalid_language", errors }, rejected],
    [400, { errors: [] }],
    [400, undefined],
    [200, { image: "AAAA", finish_reason: "SUCCESS" }],
    [
      403,
      { id: "1", name: "unauthorized", errors },
      { kind: "not-created", reason: "provider_answered_403" },
    ],
  ])

  it("is tried again after the minute for which a caller is turned away", () => {
    const busy = { kind: "busy", reason: "provider_busy" }
    assert.deepEqual(stability.readCreate(toReply(429)), { ...busy, retryAfterMs: 60_000 })
    const told = { ...toReply(429), retryAfterMs: 9_000 }
    assert.deepEqual(stability.readCreate(told), { ...busy, retryAfterMs: 9_000 })
  })

  it("has its picture by the bytes alone: a page is none, whatever it is called", async () => {
    const read = (mimeType: string, bytes: Buffer) =>
      stability.readCreate({ ...toReply(200), content: { mimeType, bytes } })
    assert.deepEqual(await readOutputs(read("image/webp", PNG) ?? assert.fail()), [PICTURE])
    assert.equal(read("text/html", Buffer.from("<html>")), undefined)
  })
})

describe("the check of Stability", () => {
  it("proves the key by the balance", async () => {
    assert.deepEqual(await world.channel.check?.(), { kind: "ready", key: "taken" })
    const wrong = createHttpChannel({ provider: stability, key: "invalid", baseUrl: stub.url })
    const refused = { kind: "refused", reason: "it refuses the key (401)" }
    assert.deepEqual(await wrong.check?.(), refused)
    await wrong.close?.()
  })
})
