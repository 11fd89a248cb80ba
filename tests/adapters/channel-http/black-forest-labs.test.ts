/** The channel of Black Forest Labs against its stub: jobs asked for at their own cluster, outputs in a hurry. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createHttpChannel, PROVIDERS } from "@safelight/channel-http"
import {
  ALWAYS_CHECKED,
  describeProvider,
  itCreates,
  itPolls,
  NO_COLOURS,
} from "./describe-provider.ts"
import { fetchTypes, openProviderWorld, toReply, turnedAway } from "./provider-world.ts"

const { blackForestLabs } = PROVIDERS

const [ONE, THREE] = ["https://media.example/1.png", "https://media.example/3.png"]
const world = await openProviderWorld(blackForestLabs, {
  picture: { size: "landscape_16_9" },
  edit: {
    image_urls: [ONE, "data:image/png;base64,AAAA", THREE],
    output_format: "png",
    aspect_ratio: "3:2",
  },
})
const { channel, edit, picture } = world

describe("the models of Black Forest Labs", () => {
  it("get exact pixels, and each reference under a name of its own", async () => {
    const drawn = await world.buy(picture())
    assert.equal(drawn.endpoint, "flux-2-klein-4b")
    assert.deepEqual(drawn.body, { prompt: "fog", width: 1024, height: 576 })

    const edited = await world.buy(edit())
    assert.equal(edited.endpoint, "flux-2-pro")
    assert.deepEqual(edited.body, {
      prompt: "warm",
      width: 1248,
      height: 832,
      output_format: "png",
      input_image: ONE,
      input_image_2: "AAAA",
      input_image_3: THREE,
    })

    const low = await world.buy(edit({ quality: "low", aspect_ratio: "1:1", resolution: "2k" }))
    assert.equal(low.endpoint, "flux-2-klein-9b")
    const { width, height } = low.body as { width: number; height: number }
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
    assert.deepEqual(await fetchTypes(await world.carryOut(edit())), ["image/png"])
  })
})

const content = { kind: "refused", code: "content_policy_violation", billed: "maybe" }

describeProvider(world, {
  purchases: ["picture"],
  work: "picture",
  ends: {
    picture: {
      "request-moderated": content,
      "content-moderated": content,
      error: { ...content, code: "provider_rejected" },
      failed: { ...content, code: "provider_rejected" },
    },
  },
  unmade: { "no-credits": turnedAway("provider_out_of_money") },
  refused: [
    ...NO_COLOURS,
    ALWAYS_CHECKED,
    ["edit", "prompt", { prompt: "" }],
    ["edit", "count", { count: 2 }],
    ["edit", "image_urls", { quality: "low", image_urls: ["1", "2", "3", "4", "5"] }],
    ["edit", "output_format", { output_format: "webp" }],
    ["edit", "aspect_ratio", { aspect_ratio: "auto" }],
    ["edit", "resolution", { aspect_ratio: "9:20", resolution: "2k" }],
  ],
  taken: [edit({ aspect_ratio: "2:1", resolution: "2k" }), edit({ aspect_ratio: "9:20" })],
})

describe("a purchase at Black Forest Labs", () => {
  it("waits as long as the body of a 429 says, or its header", async () => {
    const busy = { kind: "busy", reason: "provider_busy" }
    const told = await world.buyWith({ create: "busy" }, picture())
    assert.deepEqual(told, [{ ...busy, retryAfterMs: 1_000 }, 0])
    const body = { error: "rate_limit_exceeded", retry_after: 5 }
    const reply = { ...toReply(429, body), retryAfterMs: 9_000 }
    assert.deepEqual(blackForestLabs.readCreate(reply), { ...busy, retryAfterMs: 9_000 })
  })

  const detail = [{ loc: ["body", "width"], msg: "Field is not valid", type: "value_error" }]
  itCreates(blackForestLabs, [
    [
      422,
      { detail },
      { kind: "refused", code: "provider_rejected", providerWords: "Field is not valid" },
    ],
    [422, { detail: "no" }],
    [422, undefined],
    [400, { detail }],
    [200, { id: "1" }],
    [200, { polling_url: "https://api.us2.bfl.ai/v1/get_result?id=1" }],
  ])
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

  itPolls(blackForestLabs, { id: "1", url: "/" }, [
    [200, { status: "Pending" }, { kind: "running", pollAfterMs: 1_000 }],
    [200, { status: "Ready", result: null }, { kind: "completed", outputs: [] }],
    [200, { status: "Queued" }],
    [200, { status: "Task not found" }],
    [500, { status: "Failed" }],
    [404, { status: "Error" }],
  ])
})
