/** The channel of OpenAI's images against their stub: pictures in the answer, and nothing to ask for again. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { PROVIDERS } from "@safelight/channel-http"
import { imageEdit, textToImage, type ChannelRequest, type Json } from "@safelight/core"
import {
  describePurchase,
  describeEnds,
  openProviderWorld,
  toReply,
  itTakesNoneOf,
  turnedAway,
} from "./provider-world.ts"
import { readOutputs } from "./read-outputs.ts"

const { openai } = PROVIDERS

const world = await openProviderWorld(openai)
const { channel, toRequest } = world

const PICTURE = { prompt: "fog", size: "square_hd", enable_safety_checker: true, colors: [] }
const EDIT = {
  prompt: "warm",
  image_urls: ["https://media.example/1.png", "data:image/png;base64,AAAA"],
  output_format: "webp",
  quality: "medium",
  resolution: "1k",
  aspect_ratio: "20:9",
  sync_mode: false,
  count: 2,
}
const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1A\n", "latin1"), Buffer.alloc(600_000, 7)])

const picture = (): ChannelRequest => toRequest(textToImage.id, PICTURE)
const editOf = (parameters: object): ChannelRequest =>
  toRequest(imageEdit.id, { ...EDIT, ...parameters })

describe("OpenAI's models", () => {
  it("are asked in its own words, a fast picture at its low quality", async () => {
    await channel.submit(picture())
    assert.deepEqual(world.bought().body, {
      model: "gpt-image-2",
      prompt: "fog",
      quality: "low",
      size: "1024x1024",
    })
    assert.equal(world.bought().endpoint, "images/generations")

    await channel.submit(editOf({}))
    assert.deepEqual(world.bought().body, {
      model: "gpt-image-2",
      prompt: "warm",
      images: EDIT.image_urls.map((url) => ({ image_url: url })),
      n: 2,
      size: "1600x720",
      quality: "medium",
      output_format: "webp",
    })
    assert.equal(world.bought().endpoint, "images/edits")
  })

  it("get each shape of an edit exactly, with sides that are multiples of 16", async () => {
    const sizes: Record<string, string> = {
      auto: "auto",
      "2:1": "1440x720",
      "19.5:9": "1456x672",
      "16:9": "1280x720",
      "4:3": "1152x864",
      "3:2": "1248x832",
      "1:1": "1024x1024",
      "2:3": "832x1248",
      "3:4": "864x1152",
      "9:16": "720x1280",
      "9:19.5": "672x1456",
      "9:20": "720x1600",
      "1:2": "720x1440",
    }
    for (const [shape, size] of Object.entries(sizes)) {
      const { toRequest: write } = openai.models[imageEdit.id] ?? assert.fail()
      const { json } = write({ ...EDIT, aspect_ratio: shape }, "key", { model: imageEdit.id })
      assert.equal((json as { size: string }).size, size)
      if (shape === "auto") continue
      const [width = 0, height = 0] = size.split("x").map(Number)
      const [across = 0, down = 0] = shape.split(":").map(Number)
      assert.equal(width * down, height * across, shape)
      assert.deepEqual([width % 16, height % 16], [0, 0], shape)
    }
    await channel.submit(editOf({ aspect_ratio: "9:16", resolution: "2k" }))
    assert.equal((world.bought().body as { size: string }).size, "1440x2560")
  })

  it("give their pictures with the answer, in order, of the type that they have", async () => {
    const outputs = await readOutputs(await channel.submit(editOf({ count: 3 })))
    assert.deepEqual(
      outputs.map(({ mimeType }) => mimeType),
      ["image/webp", "image/webp", "image/webp"],
    )
    assert.ok(outputs.every(({ bytes }) => bytes.subarray(8, 12).toString() === "WEBP"))
    assert.equal(new Set(outputs.map(({ bytes }) => bytes.toString("hex"))).size, 3)
  })

  it("give a large picture whole", async () => {
    world.stub.setFaults({ own: ["large"] })
    const done = await channel.submit(picture()).finally(() => world.stub.setFaults({}))
    const [output] = await readOutputs(done)
    assert.ok((output?.bytes.length ?? 0) > 10_000_000)
    assert.equal(output?.bytes.subarray(-8, -4).toString(), "IEND")
  })

  const refused: readonly (readonly [param: string, model: string, parameters: object])[] = [
    ["size", textToImage.id, { ...PICTURE, size: "square" }],
    ["size", textToImage.id, { ...PICTURE, size: "landscape_16_9" }],
    ["colors", textToImage.id, { ...PICTURE, colors: [{ r: 1, g: 2, b: 3 }] }],
    ["background_color", textToImage.id, { ...PICTURE, background_color: { r: 0, g: 0, b: 0 } }],
    ["enable_safety_checker", textToImage.id, { ...PICTURE, enable_safety_checker: false }],
    ["prompt", imageEdit.id, { ...EDIT, prompt: "" }],
    ["aspect_ratio", imageEdit.id, { ...EDIT, aspect_ratio: "auto", resolution: "2k" }],
  ]
  itTakesNoneOf(world, refused)

  it("take everything else", () => {
    for (const size of ["square_hd", "portrait_4_3", "landscape_4_3"]) {
      assert.equal(channel.accepts?.(toRequest(textToImage.id, { ...PICTURE, size })), true)
    }
    assert.equal(channel.accepts?.(editOf({})), true)
    assert.equal(channel.accepts?.(editOf({ aspect_ratio: "auto" })), true)
  })
})

describePurchase(world, picture)

describe("a purchase at OpenAI", () => {
  it("waits the milliseconds that it is told", async () => {
    const busy = { kind: "busy", reason: "provider_busy", retryAfterMs: 1_500 }
    assert.deepEqual(await world.buyWith({ own: ["retry-after-ms"] }, picture()), [busy, 0])
  })

  it("was not made where the money has run out", async () => {
    const poor = turnedAway("provider_out_of_money")
    assert.deepEqual(await world.buyWith({ own: ["no-quota"] }, picture()), [poor, 0])
  })

  it("was refused where it says so in its own shape, and is in doubt in any other", () => {
    const error = { type: "invalid_request_error", code: null, message: "Unknown parameter" }
    assert.deepEqual(openai.readCreate(toReply(400, { error })), {
      kind: "refused",
      code: "provider_rejected",
      providerWords: "Unknown parameter",
    })
    const others: readonly (readonly [number, Json | undefined])[] = [
      [400, "Bad Request"],
      [400, undefined],
      [413, { error }],
      [409, { error }],
      [200, { error }],
      [200, { data: "none" }],
    ]
    for (const [status, json] of others) {
      assert.equal(openai.readCreate(toReply(status, json)), undefined, String(status))
    }
  })
})

describeEnds(world, picture, {
  moderation: { kind: "refused", code: "content_policy_violation" },
  policy: { kind: "refused", code: "content_policy_violation" },
})

describe("an answer of OpenAI's shape", () => {
  it("holds a picture piece by piece, anew at each reading, until it is called off", async () => {
    const data = [{ b64_json: PNG.toString("base64") }]
    const done = openai.readCreate(toReply(200, { data })) ?? assert.fail()
    for (const each of [await readOutputs(done), await readOutputs(done)]) {
      assert.deepEqual(each, [{ mimeType: "image/png", bytes: PNG }])
    }
    assert.ok(
      done.kind === "completed" && done.outputs[0] !== undefined && "open" in done.outputs[0],
    )
    const controller = new AbortController()
    const pieces = done.outputs[0].open(controller.signal)[Symbol.asyncIterator]()
    assert.equal((await pieces.next()).done, false)
    controller.abort()
    await assert.rejects(pieces.next(), { code: "aborted" })
  })

  it("has no output where what it holds is no base64, or no picture", () => {
    const good = PNG.toString("base64")
    const texts = [
      "",
      "????",
      good.slice(1),
      `${good}\n`,
      `${good}=`,
      Buffer.from("<html>").toString("base64"),
    ]
    const data = [...texts.map((text) => ({ b64_json: text })), { b64_json: 7 }, "text", null]
    const done = openai.readCreate(toReply(200, { data: [...data, { b64_json: good }] }))
    assert.ok(done?.kind === "completed")
    assert.equal(done.outputs.length, 1)
  })

  it("may name pictures by URL, as some servers of that shape do", () => {
    const url = "http://127.0.0.1:8080/generated/1.png"
    const outputs = [{ url }]
    assert.deepEqual(openai.readCreate(toReply(200, { data: outputs })), {
      kind: "completed",
      outputs,
    })
  })
})
