/** The channel of Comfy Router against its stub: what is sent, what each answer proves, how work ends. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { PROVIDERS } from "@safelight/channel-http"
import type { Json } from "@safelight/core"
import { ALWAYS_CHECKED, describeProvider } from "./describe-provider.ts"
import {
  EDIT,
  FILM,
  fetchTypes,
  openProviderWorld,
  toReply,
  turnedAway,
  withoutWords,
} from "./provider-world.ts"

const { comfyRouter } = PROVIDERS

const world = await openProviderWorld(comfyRouter)
const { channel, edit, film, picture, stub } = world

describe("Comfy Router's models", () => {
  it("are Recraft's picture, its colours as triples", async () => {
    const plain = { prompt: "fog", n: 1, size: "1024x1024" }
    const drawn = await world.buy(picture())
    assert.equal(drawn.endpoint, "recraft/recraftv4_1")
    assert.deepEqual(drawn.body, plain)

    const colors = [{ r: 1, g: 2, b: 3 }]
    const background_color = { r: 4, g: 5, b: 6 }
    const controls = { background_color: { rgb: [4, 5, 6] }, colors: [{ rgb: [1, 2, 3] }] }
    const coloured = await world.buy(picture({ background_color, colors }))
    assert.deepEqual(coloured.body, { ...plain, controls })
  })

  it("are Seedance's film, with everything that is asked for", async () => {
    const asked = { aspect_ratio: "9:16", generate_audio: false, bitrate_mode: "standard" }
    const { body, endpoint } = await world.buy(film(asked))
    assert.equal(endpoint, "byteplus/dreamina-seedance-2-5-260628")
    assert.deepEqual(body, {
      content: [{ type: "text", text: "waves" }],
      resolution: "720p",
      ratio: "9:16",
      duration: 4,
      generate_audio: false,
    })
  })

  it("are Seedream's edit", async () => {
    assert.deepEqual(await fetchTypes(await world.carryOut(edit())), ["image/jpeg"])
    const { body, endpoint } = world.bought()
    assert.equal(endpoint, "byteplus/seedream-5-0-pro-260628")
    assert.deepEqual(body, {
      prompt: "warm",
      image: EDIT.image_urls,
      size: "1K",
      output_format: "jpeg",
      response_format: "url",
      watermark: false,
    })
  })

  it("carry the upstream key", async () => {
    const request = film()
    assert.equal((await world.buy(request)).key, request.upstreamKey)
  })

  it("give their outputs by URL", async () => {
    assert.deepEqual(await fetchTypes(await world.carryOut(picture())), ["image/png"])
    assert.deepEqual(await fetchTypes(await world.carryOut(film())), ["video/mp4"])
  })

  it("take no picture that the router does not offer", () => {
    const accepts = (changes: object) => channel.accepts?.(picture(changes))
    assert.deepEqual(accepts({ size: "square" }), {
      kind: "ineligible",
      reason: "only size square_hd is offered",
      param: "size",
    })
    assert.deepEqual(accepts({ enable_safety_checker: false }), {
      kind: "ineligible",
      reason: "the safety checker can't be turned off",
      param: "enable_safety_checker",
    })
  })
})

const large = [`data:image/png;base64,${"A".repeat(6_000_000)}`]
const colour = { r: 1, g: 2, b: 3 }

describeProvider(world, {
  purchases: ["film"],
  work: "film",
  ends: {
    film: {
      "content-policy": { kind: "refused", code: "content_policy_violation", billed: "maybe" },
      "provider-error": { kind: "refused", code: "provider_rejected", billed: "maybe" },
      "provider-timeout": { kind: "refused", code: "generation_timeout", billed: "maybe" },
      "queue-timeout": { kind: "not-created", reason: "provider_failed" },
    },
  },
  unmade: {
    "not-enabled": turnedAway("provider_answered_403"),
    "no-credits": turnedAway("provider_out_of_money"),
    "unknown-model": turnedAway("provider_answered_404"),
  },
  refused: [
    ["picture", "size", { size: "square" }],
    ALWAYS_CHECKED,
    ["edit", "image_urls", { image_urls: [...large, ...large] }],
    ["edit", "count", { count: 2 }],
  ],
  taken: [edit({ image_urls: large }), picture({ background_color: colour, colors: [colour] })],
})

describe("a purchase at Comfy Router", () => {
  it("is refused where the router finds a fault in it", async () => {
    const [outcome, bought] = await world.buyWith({ own: ["invalid"] }, film())
    assert.ok((outcome as { readonly providerWords: string }).providerWords !== "")
    const told = withoutWords(outcome as Parameters<typeof withoutWords>[0])
    const refusal = { kind: "refused", code: "provider_rejected", isFinal: false }
    assert.deepEqual([told, bought], [refusal, 0])
    const content = toReply(422, {}, { "x-comfy-error-type": "content_policy_violation" })
    const refused = { kind: "refused", code: "content_policy_violation" }
    assert.deepEqual(comfyRouter.readCreate(content), refused)
  })

  it("is asked for again by its key while it is being taken in", async () => {
    const request = film()
    const pending = { kind: "pending" }
    assert.deepEqual(await world.buyWith({ own: ["still-admitting"] }, request), [pending, 1])
    const { id } = world.bought()
    const [again, bought] = await world.buyWith({}, request)
    assert.equal(bought, 0)
    assert.ok(JSON.stringify(again).includes(id))
  })

  it("stays in doubt where its key is held for what can't be replayed", async () => {
    const request = film()
    await channel.submit(request)
    const other = { ...request, parameters: { ...FILM, duration: 5 } }
    assert.deepEqual(await world.buyWith({}, other), ["channel-answer-invalid", 0])
  })

  it("proves nothing by a status without the router's own words", () => {
    assert.equal(comfyRouter.readCreate(toReply(422)), undefined)
    assert.equal(comfyRouter.readCreate(toReply(409)), undefined)
  })

  it("is asked for by its key for less than the router keeps one", () => {
    const { submission } = channel
    assert.ok(submission.kind === "keyed")
    assert.ok(submission.keyTtlMs <= 24 * 3_600_000 - channel.submitTimeoutMs)
  })
})

describe("a result at Comfy Router", () => {
  async function read(status: number, json?: Json, bucket?: string) {
    const headers: Record<string, string> =
      bucket === undefined ? {} : { "x-comfy-error-type": bucket }
    return comfyRouter.poll({ state: "/state", result: "/result" }, async ({ path }) =>
      path === "/state" ? toReply(200, { status: "COMPLETED" }) : toReply(status, json, headers),
    )
  }
  const silent: readonly (readonly [name: string, status: number, json?: Json, bucket?: string])[] =
    [
      ["a proxy's page", 200],
      ["a proxy's 410", 410],
      ["a result that is not finished", 202, { status: "IN_PROGRESS" }],
      [
        "a fault of the router's own",
        500,
        { data: [{ url: "https://media.example/1.png" }] },
        "internal_error",
      ],
      ["a fault in fetching it", 502, {}, "provider_error"],
      ["a key that is no longer taken", 401, {}, "unauthorized"],
      ["a limit", 429, {}, "rate_limited"],
      ["a result that is not found", 404, {}, "request_not_found"],
    ]
  for (const [name, ...reply] of silent) {
    it(`is not given up for ${name}, since it is paid for`, async () => {
      assert.equal(await read(...reply), undefined)
    })
  }

  it("has no file where the same answer without any media comes again and again", async () => {
    const outcome = await read(200, { seed: 1 })
    assert.ok(outcome?.kind === "unclear")
    assert.deepEqual(outcome.meaning, { kind: "completed", outputs: [] })
  })

  it("is waited for as long as the router says", async () => {
    for (const status of ["IN_QUEUE", "IN_PROGRESS"]) {
      const poll = (retryAfterMs?: number) =>
        comfyRouter.poll({ state: "/state" }, async () => ({
          ...toReply(200, { status }),
          retryAfterMs,
        }))
      assert.deepEqual(await poll(7_000), { kind: "running", pollAfterMs: 7_000 })
      assert.deepEqual(await poll(), { kind: "running", pollAfterMs: 2_000 })
    }
  })

  it("is given up once the router has removed it", async () => {
    const gone = { kind: "refused", code: "no_output" }
    assert.deepEqual(await read(410, {}, "request_not_found"), gone)
  })

  it("ends as cancelled, and is refused where the router names a failure that we don't know", async () => {
    const end = (error_type: string) =>
      comfyRouter.poll({ state: "/state" }, async () =>
        toReply(200, { status: "COMPLETED", error_type }),
      )
    assert.deepEqual(await end("cancelled"), { kind: "refused", code: "task_cancelled" })
    const unknown = { kind: "refused", code: "provider_rejected", billed: "maybe" }
    assert.deepEqual(await end("new_one"), unknown)
  })

  it("is cancelled where the router says", async () => {
    await channel.cancel?.(await world.begin(film()))
    const { method, path } = stub.requests.at(-1) ?? assert.fail()
    assert.ok(method === "PUT" && path.endsWith("/cancel"))
  })
})
