/** The channel of Ark against its stub: films as tasks, pictures in the answer, and how both end. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { PROVIDERS } from "@safelight/channel-http"
import type { Json } from "@safelight/core"
import { ALWAYS_CHECKED, describeProvider, NO_COLOURS } from "./describe-provider.ts"
import {
  EDIT,
  fetchTypes,
  openProviderWorld,
  toReply,
  turnedAway,
  withoutWords,
} from "./provider-world.ts"

const { ark } = PROVIDERS

const world = await openProviderWorld(ark, { edit: { output_format: "png", resolution: "2k" } })
const { channel, edit, film, picture, stub } = world

const SEEDREAM = { model: "seedream-5-0-pro-260628", response_format: "url", watermark: false }
const DAY_MS = 24 * 3_600_000

/** The size that Ark is asked for. */
async function sizeOf(aspect_ratio: string, resolution: string): Promise<string> {
  const { body } = await world.buy(edit({ aspect_ratio, resolution }))
  return (body as { readonly size: string }).size
}

describe("Ark's models", () => {
  it("are Seedance's film", async () => {
    const content = [{ type: "text", text: "waves" }]
    const model = "dreamina-seedance-2-5-260628"
    assert.deepEqual((await world.buy(film())).body, {
      model,
      content,
      resolution: "720p",
      duration: 4,
    })
  })

  it("are Seedream's picture and its edit, without a watermark", async () => {
    const expected = { ...SEEDREAM, prompt: "fog", size: "1024x1024" }
    assert.deepEqual((await world.buy(picture())).body, expected)
    const { image_urls: image, prompt } = EDIT
    const edited = { ...SEEDREAM, prompt, image, output_format: "png", size: "2K" }
    assert.deepEqual((await world.buy(edit())).body, edited)
  })

  const ratios = ["2:1", "20:9", "19.5:9", "16:9", "4:3", "3:2", "1:1", "2:3", "9:20", "9:19.5"]
  for (const ratio of ratios) {
    it(`edit in exactly the ratio ${ratio}, with about the pixels of the resolution`, async () => {
      for (const [resolution, side] of [
        ["1k", 1_024],
        ["2k", 2_048],
      ] as const) {
        const size = await sizeOf(ratio, resolution)
        const [width = 0, height = 0] = size.split("x").map(Number)
        const [across = 0, down = 0] = ratio.split(":").map(Number)
        assert.equal(width * down, height * across)
        assert.ok(width % 2 === 0 && height % 2 === 0, size)
        // Seedream takes no fewer than at 1K and no more than at 2K.
        const share = (width * height) / side ** 2
        assert.ok(resolution === "1k" ? share >= 1 && share < 1.1 : share <= 1 && share > 0.9, size)
      }
    })
  }

  it("give their outputs by URL for a day", async () => {
    const [drawn, filmed] = [await world.carryOut(picture()), await world.carryOut(film())]
    assert.deepEqual(await fetchTypes(drawn), ["image/jpeg"])
    assert.deepEqual(await fetchTypes(filmed), ["video/mp4"])
    for (const done of [drawn, filmed]) {
      assert.ok(done.kind === "completed")
      const [output] = done.outputs
      assert.ok(output !== undefined && "url" in output)
      const leftMs = (output.expiresAt ?? 0) - Date.now()
      assert.ok(leftMs > DAY_MS && leftMs <= DAY_MS + 300_000)
    }
    assert.deepEqual(await fetchTypes(await world.carryOut(edit())), ["image/png"])
  })
})

describeProvider(world, {
  purchases: ["film", "picture"],
  work: "film",
  ends: {
    film: {
      "input-sensitive": { kind: "refused", code: "content_policy_violation" },
      "output-sensitive": { kind: "refused", code: "content_policy_violation" },
      "output-audio-sensitive": { kind: "refused", code: "content_policy_violation" },
      "internal-error": { kind: "not-created", reason: "provider_failed" },
    },
    picture: {
      "input-image-sensitive": { kind: "refused", code: "content_policy_violation" },
      "image-failed": { kind: "refused", code: "content_policy_violation" },
    },
  },
  unmade: {
    overdue: turnedAway("provider_out_of_money"),
    "not-open": turnedAway("provider_answered_404"),
    quota: { kind: "not-created", reason: "provider_quota_exceeded" },
    overloaded: { kind: "busy", reason: "provider_busy" },
  },
  refused: [
    ["picture", "size", { size: "landscape_4_3" }],
    ...NO_COLOURS,
    ALWAYS_CHECKED,
    ["edit", "prompt", { prompt: "" }],
    ["edit", "count", { count: 2 }],
    ["edit", "output_format", { output_format: "webp" }],
    ["edit", "quality", { quality: "low" }],
    ["film", "resolution", { resolution: "1080p" }],
    ["film", "bitrate_mode", { bitrate_mode: "high" }],
  ],
})

describe("a purchase at Ark", () => {
  it("is refused where there is a fault in it, in Ark's own words alone", () => {
    const error = { code: "InvalidParameter", message: "duration is wrong" }
    assert.deepEqual(ark.readCreate(toReply(400, { error })), {
      kind: "refused",
      code: "provider_rejected",
      providerWords: "duration is wrong",
    })
    assert.equal(ark.readCreate(toReply(400, { error: "bad" })), undefined)
    assert.equal(ark.readCreate(toReply(400)), undefined)
  })

  it("is in doubt where an answer holds neither a task nor a picture", () => {
    assert.equal(ark.readCreate(toReply(200, {})), undefined)
    assert.equal(ark.readCreate(toReply(200, { data: [] })), undefined)
  })
})

describe("a picture of Ark", () => {
  it("is had by another process, without anybody being asked", async () => {
    const work = await world.begin(picture())
    const asked = stub.requests.length
    const done = await channel.poll(work)
    assert.ok(done.kind === "completed" && done.outputs.length === 1)
    await channel.cancel?.(work)
    assert.equal(stub.requests.length, asked)
  })
})

describe("a task of Ark", () => {
  const read = (json: Json) => ark.poll({ id: "cgt-1" }, async () => toReply(200, json))

  it("is waited for while it queues and runs", async () => {
    for (const status of ["queued", "running"]) {
      assert.deepEqual(await read({ status }), { kind: "running", pollAfterMs: 5_000 })
    }
  })

  it("is given up once Ark has removed its film, and not before", async () => {
    assert.equal(await read({ status: "succeeded" }), undefined)
    assert.equal(await read({ status: "new" }), undefined)
    const gone = { kind: "refused", code: "no_output" }
    assert.deepEqual(await read({ status: "succeeded", content: null }), gone)
  })

  it("ends where it was called off, waited too long, or holds what can't be used", async () => {
    const cancelled = { kind: "refused", code: "task_cancelled" }
    assert.deepEqual(await read({ status: "cancelled" }), cancelled)
    const failed = { kind: "not-created", reason: "provider_failed" }
    assert.deepEqual(await read({ status: "expired" }), failed)
    const error = { code: "InvalidParameter.Media", message: "too short" }
    const outcome = await read({ status: "failed", error })
    assert.ok(outcome?.kind === "refused")
    assert.deepEqual(withoutWords(outcome), { kind: "refused", code: "provider_rejected" })
  })

  it("is called off while it waits, and keeps its result once it has one", async () => {
    const { operation, ...work } = await world.begin(film())
    await channel.cancel?.({ ...work, operation })
    assert.ok(!stub.requests.some(({ method }) => method === "DELETE"))
    assert.equal((await world.follow(work, { kind: "accepted", operation })).kind, "completed")

    const sent: string[] = []
    await ark.cancel?.({ id: "cgt-1" }, async ({ method, path }) => {
      sent.push(`${method} ${path}`)
      return toReply(200, { status: "queued" })
    })
    const path = "/api/v3/contents/generations/tasks/cgt-1"
    assert.deepEqual(sent, [`GET ${path}`, `DELETE ${path}`])
  })
})
