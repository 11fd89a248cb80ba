/** The channel of OpenAI's images against their stub: pictures in the answer, and nothing to ask for again. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { PROVIDERS } from "@safelight/channel-http"
import { imageEdit } from "@safelight/core"
import { ALWAYS_CHECKED, describeProvider, itCreates, NO_COLOURS } from "./describe-provider.ts"
import { EDIT, openProviderWorld, toReply, turnedAway } from "./provider-world.ts"
import { readOutputs } from "./read-outputs.ts"

const { openai } = PROVIDERS

const image_urls = ["https://media.example/1.png", "data:image/png;base64,AAAA"]
const world = await openProviderWorld(openai, {
  edit: { image_urls, output_format: "webp", aspect_ratio: "20:9", count: 2 },
})
const { channel, edit, picture } = world

const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1A\n", "latin1"), Buffer.alloc(600_000, 7)])

describe("OpenAI's models", () => {
  it("are asked in its own words, a fast picture at its low quality", async () => {
    const drawn = await world.buy(picture())
    assert.deepEqual(drawn.body, {
      model: "gpt-image-2",
      prompt: "fog",
      quality: "low",
      size: "1024x1024",
    })
    assert.equal(drawn.endpoint, "images/generations")

    const edited = await world.buy(edit())
    assert.deepEqual(edited.body, {
      model: "gpt-image-2",
      prompt: "warm",
      images: image_urls.map((url) => ({ image_url: url })),
      n: 2,
      size: "1600x720",
      quality: "medium",
      output_format: "webp",
    })
    assert.equal(edited.endpoint, "images/edits")
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
      const { json } = write({ ...EDIT, aspect_ratio: shape }, "key", {
        model: imageEdit.id,
        upstream: "gpt-image-2",
      })
      assert.equal((json as { size: string }).size, size)
      if (shape === "auto") continue
      const [width = 0, height = 0] = size.split("x").map(Number)
      const [across = 0, down = 0] = shape.split(":").map(Number)
      assert.equal(width * down, height * across, shape)
      assert.deepEqual([width % 16, height % 16], [0, 0], shape)
    }
    const { body } = await world.buy(edit({ aspect_ratio: "9:16", resolution: "2k" }))
    assert.equal((body as { size: string }).size, "1440x2560")
  })

  it("give their pictures with the answer, in order, of the type that they have", async () => {
    const outputs = await readOutputs(await channel.submit(edit({ count: 3 })))
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
})

describeProvider(world, {
  purchases: ["picture"],
  ends: {
    picture: {
      moderation: { kind: "refused", code: "content_policy_violation" },
      policy: { kind: "refused", code: "content_policy_violation" },
    },
  },
  unmade: {
    "no-quota": turnedAway("provider_out_of_money"),
    "retry-after-ms": { kind: "busy", reason: "provider_busy", retryAfterMs: 1_500 },
  },
  refused: [
    ["picture", "size", { size: "square" }],
    ["picture", "size", { size: "landscape_16_9" }],
    ...NO_COLOURS,
    ALWAYS_CHECKED,
    ["edit", "prompt", { prompt: "" }],
    ["edit", "aspect_ratio", { aspect_ratio: "auto", resolution: "2k" }],
  ],
  taken: [
    picture({ size: "portrait_4_3" }),
    picture({ size: "landscape_4_3" }),
    edit({ aspect_ratio: "auto" }),
  ],
})

describe("a purchase at OpenAI", () => {
  const error = { type: "invalid_request_error", code: null, message: "Unknown parameter" }
  itCreates(openai, [
    [
      400,
      { error },
      { kind: "refused", code: "provider_rejected", providerWords: "Unknown parameter" },
    ],
    [400, "Bad Request"],
    [400, undefined],
    [413, { error }],
    [409, { error }],
    [200, { error }],
    [200, { data: "none" }],
  ])
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
