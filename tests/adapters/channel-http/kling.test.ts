/** The channel of Kling against its stub: tokens that expire, tasks that are found by our key, both designs of its API. */
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { describe, it } from "node:test"
import { createHttpChannel, PROVIDERS, type HttpChannelOptions } from "@safelight/channel-http"
import { referenceToVideo, type Channel, type ChannelRequest, type Json } from "@safelight/core"
import { callJson } from "../../stubs/support/call-json.ts"
import { describeProvider, itCreates, itPolls } from "./describe-provider.ts"
import { fetchTypes, openProviderWorld, toReply, turnedAway } from "./provider-world.ts"

const { kling } = PROVIDERS

const [ACCESS, SECRET] = ["access-key-1234", "secret-key-5678"]

const world = await openProviderWorld(kling, { key: `${ACCESS}:${SECRET}` })
const { channel, film, stub, toRequest } = world

const [ONE, TWO] = [1, 2].map((name) => `https://media.example/${name}.png`)

function open(options: Partial<HttpChannelOptions> = {}): Channel {
  return createHttpChannel({ provider: kling, key: "api-key", baseUrl: stub.url, ...options })
}

/** The last request's token. */
function lastToken(): string {
  const { headers } = stub.requests.at(-1) ?? assert.fail("nothing was sent")
  return String(headers["authorization"]).replace("Bearer ", "")
}

describe("a token for Kling", () => {
  it("is signed by the secret of an access key, for half an hour", async () => {
    const now = 1_800_000_000_000
    const clock = { now: () => now, monotonicNow: () => 0 }
    const own = open({ key: `${ACCESS}:${SECRET}`, clock })
    await own.submit(film())
    const token = lastToken()
    const [header = "", claims = "", signature] = token.split(".")
    const parts = [header, claims].map((part) =>
      JSON.parse(Buffer.from(part, "base64url").toString()),
    )
    const seconds = now / 1_000
    assert.deepEqual(parts, [
      { alg: "HS256", typ: "JWT" },
      { iss: ACCESS, exp: seconds + 1_800, nbf: seconds - 900 },
    ])
    const expected = createHmac("sha256", SECRET).update(`${header}.${claims}`).digest("base64url")
    assert.equal(signature, expected)
    assert.equal(own.hideSecrets?.(`${token} of ${ACCESS} by ${SECRET}`), "… of … by …")
    await own.close?.()
  })

  it("expires between a purchase and its poll, which gets another one", async () => {
    let aheadMs = 0
    const clock = { now: () => Date.now() + aheadMs, monotonicNow: () => 0 }
    const own = open({ key: `${ACCESS}:${SECRET}`, clock })
    const request = film()
    const submitted = await own.submit(request)
    assert.ok(submitted.kind === "accepted")
    const first = lastToken()
    aheadMs = 3_600_000
    stub.setFaults({ skewMs: aheadMs })
    const { operation } = submitted
    assert.equal((await own.poll({ ...request, operation, progress: 0 })).kind, "completed")
    const headers = { authorization: `Bearer ${first}` }
    const late = await callJson(`${stub.url}/tasks?task_ids=1`, { headers })
    stub.setFaults({})
    assert.deepEqual([late.status, late.body.code], [401, 1_004])
    await own.close?.()
  })

  it("is the key itself if it has no secret", async () => {
    const own = open()
    await own.submit(film())
    assert.equal(lastToken(), "api-key")
    await own.close?.()
  })

  for (const key of ["access:", ":secret-of-it"]) {
    it(`is not made of half a pair, which the operator is told: ${key}`, async () => {
      const own = open({ key })
      const before = stub.requests.length
      assert.deepEqual(await own.submit(film()), {
        kind: "not-created",
        reason: "not_authorized",
        providerWords: "the key is no ACCESS:SECRET",
        needsOperator: true,
      })
      assert.equal(stub.requests.length, before)
      await own.close?.()
    })
  }
})

describe("Kling's film", () => {
  it("is asked for at its path, under the upstream key", async () => {
    const request = film({ aspect_ratio: "9:16", generate_audio: false, resolution: "1080p" })
    const { body, endpoint, key } = await world.buy(request)
    assert.equal(endpoint, "text-to-video/kling-3.0")
    assert.equal(key, request.upstreamKey)
    assert.deepEqual(body, {
      prompt: "waves",
      settings: { resolution: "1080p", aspect_ratio: "9:16", duration: 4, audio: "off" },
      options: { external_task_id: request.upstreamKey },
    })
  })

  it("begins with one image and ends with the other", async () => {
    const { body, endpoint } = await world.buy(
      film({ image_urls: [ONE, TWO], generate_audio: true }),
    )
    assert.equal(endpoint, "image-to-video/kling-3.0")
    const { contents, settings } = body as { contents: Json; settings: Json }
    assert.deepEqual(contents, [
      { type: "prompt", text: "waves" },
      { type: "first_frame", url: ONE },
      { type: "last_frame", url: TWO },
    ])
    assert.deepEqual(settings, { resolution: "720p", duration: 4, audio: "native" })
  })

  it("takes an image in base64, without what a data URL begins with", async () => {
    const { body } = await world.buy(film({ image_urls: ["data:image/png;base64,AAAA"] }))
    const { contents } = body as { contents: readonly object[] }
    assert.deepEqual(contents.at(-1), { type: "first_frame", url: "AAAA" })
  })

  it("is given by URL", async () => {
    assert.deepEqual(await fetchTypes(await world.carryOut(film())), ["video/mp4"])
  })
})

describe("another model of Kling", () => {
  async function make(model: string, asked: object): Promise<readonly [object, readonly string[]]> {
    const own = open({ models: [model] })
    const request = toRequest(model, asked)
    const submitted = await own.submit(request)
    assert.ok(submitted.kind === "accepted", JSON.stringify(submitted))
    const { operation } = submitted
    const outcome = await own.poll({ ...request, operation, progress: 0 })
    const { body, endpoint } = world.bought()
    await own.close?.()
    return [{ endpoint, body: withoutKey(body, request) }, await fetchTypes(outcome)]
  }

  function withoutKey(body: unknown, { upstreamKey }: ChannelRequest): unknown {
    return JSON.parse(JSON.stringify(body).replaceAll(upstreamKey, "KEY"))
  }

  it("is named by its path: media are contents, and what is no option is a setting", async () => {
    const [bought, types] = await make("omni-video/kling-3.0-omni", {
      prompt: "waves",
      refer_image: [ONE, TWO],
      base_video: "https://media.example/1.mp4",
      duration: 7,
      audio: "original",
      watermark_info: { enabled: true },
    })
    assert.deepEqual(bought, {
      endpoint: "omni-video/kling-3.0-omni",
      body: {
        contents: [
          { type: "prompt", text: "waves" },
          { type: "refer_image", url: ONE },
          { type: "refer_image", url: TWO },
          { type: "base_video", url: "https://media.example/1.mp4" },
        ],
        settings: { duration: 7, audio: "original" },
        options: { external_task_id: "KEY", watermark_info: { enabled: true } },
      },
    })
    assert.deepEqual(types, ["video/mp4"])
  })

  it("of the older design is a member of the body, and is polled below its path", async () => {
    const asked = { prompt: "waves", duration: "5", mode: "pro" }
    const [bought, types] = await make("v1/videos/text2video/kling-v2-6", asked)
    const body = { model_name: "kling-v2-6", ...asked, external_task_id: "KEY" }
    assert.deepEqual(bought, { endpoint: "v1/videos/text2video", body })
    assert.deepEqual(types, ["video/mp4"])
    const { id } = world.bought()
    assert.ok(stub.requests.some(({ path }) => path === `/v1/videos/text2video/${id}`))
  })

  it("of the older design makes several images", async () => {
    const asked = { prompt: "fog", n: 2, image: "data:image/png;base64,AAAA" }
    const [bought, types] = await make("v1/images/generations/kling-v2-1", asked)
    const body = { model_name: "kling-v2-1", ...asked, image: "AAAA", external_task_id: "KEY" }
    assert.deepEqual(bought, { endpoint: "v1/images/generations", body })
    assert.deepEqual(types, ["image/png", "image/png"])
  })
})

describe("a callback of Kling", () => {
  const url = "https://service.example/callback"

  it("is asked for where each design has its address", async () => {
    const models = [referenceToVideo.id, "v1/videos/text2video/kling-v2-6"]
    const webhookSecret = `whsec_${Buffer.from("the secret of webhooks").toString("base64")}`
    const own = open({ models, webhookSecret })
    const told: unknown[] = []
    for (const model of models) {
      const request = { ...toRequest(model, { prompt: "waves" }), callback: { url, secret: "" } }
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await own.submit(request)
      const { options, ...body } = world.bought().body as Record<string, Record<string, unknown>>
      told.push((options ?? body)["callback_url"], (options ?? body)["external_task_id"])
    }
    const [newer, , older] = told
    assert.deepEqual([newer, older], [url, url])
    assert.ok(told.every((each) => each !== undefined))
    await own.close?.()
  })

  it("names its task, unless it can't be polled by what the message says", () => {
    const callback = { model: referenceToVideo.id }
    const read = (message: Json) => kling.webhook?.readOperation?.(message, callback)
    assert.deepEqual(read({ id: "1", status: "submitted" }), { id: "1" })
    assert.equal(read({ task_id: "1", task_status: "submitted" }), undefined)
  })
})

describeProvider(world, {
  purchases: ["film"],
  work: "film",
  ends: {
    film: {
      content: { kind: "refused", code: "content_policy_violation", billed: "maybe" },
      failed: { kind: "refused", code: "provider_rejected", billed: "maybe" },
      blocked: { kind: "refused", code: "content_policy_violation" },
    },
  },
  unmade: {
    "no-credits": turnedAway("provider_out_of_money"),
    "no-access": turnedAway("provider_answered_403"),
    "no-model": turnedAway("provider_answered_404"),
  },
  refused: [
    ["film", "prompt", { prompt: undefined }],
    ["film", "prompt", { prompt: "a".repeat(3_073) }],
    ["film", "image_urls", { image_urls: [ONE, TWO, ONE] }],
    ["film", "video_urls", { video_urls: ["https://media.example/1.mp4"] }],
    ["film", "audio_urls", { audio_urls: ["https://media.example/1.wav"] }],
    ["film", "duration", { duration: 16 }],
    ["film", "resolution", { resolution: "480p" }],
    ["film", "aspect_ratio", { aspect_ratio: "21:9" }],
    ["film", "aspect_ratio", { aspect_ratio: "16:9", image_urls: [ONE] }],
    ["film", "bitrate_mode", { bitrate_mode: "high" }],
  ],
  taken: [film({ aspect_ratio: "16:9" }), film({ image_urls: [ONE, TWO], duration: 15 })],
})

describe("a purchase at Kling", () => {
  const operator = { kind: "not-created", needsOperator: true }
  const message = "Key: duration is not supported"
  itCreates(kling, [
    [200, { code: 0, data: { id: "1" } }, { kind: "accepted", operation: { id: "1" } }],
    [200, { code: 0, data: {} }],
    [200, { data: { id: "1" } }],
    [
      400,
      { code: 1201, message },
      { kind: "refused", code: "provider_rejected", providerWords: message },
    ],
    // It may be this very purchase that has the key.
    [400, { code: 1201, message: "external_task_id task.1 is in use" }],
    [200, { code: 1301 }, { kind: "refused", code: "content_policy_violation" }],
    [429, { code: 1101 }, { ...operator, reason: "provider_out_of_money" }],
    [429, { code: 1304 }, { ...operator, reason: "provider_answered_429" }],
    [429, { code: 1302 }, { kind: "busy", reason: "provider_busy" }],
    [200, { code: 1303 }, { kind: "busy", reason: "provider_busy" }],
    [504, { code: 5002, message: "backlog" }],
    [400, undefined],
    [401, undefined, { kind: "not-created", reason: "provider_answered_401" }],
  ])

  it("is found by its key after its answer was lost, and only then", async () => {
    const request = film()
    assert.equal(await channel.find?.(request), null)
    assert.deepEqual(await world.buyWith({ create: "reset" }, request), ["channel-unavailable", 1])
    const found = (await channel.find?.(request)) ?? assert.fail()
    assert.deepEqual(found, { operation: { id: world.bought().id } })
    assert.equal((await channel.poll({ ...request, ...found, progress: 0 })).kind, "completed")
  })

  it("of the older design is found at its path", async () => {
    const model = "v1/videos/image2video/kling-v2-6"
    const own = open({ models: [model] })
    const request = toRequest(model, { prompt: "waves", image: ONE })
    assert.equal(await own.find?.(request), null)
    stub.setFaults({ create: "reset" })
    await assert.rejects(own.submit(request))
    stub.setFaults({})
    const found = (await own.find?.(request)) ?? assert.fail()
    assert.deepEqual(found, {
      operation: { id: world.bought().id, path: "/v1/videos/image2video" },
    })
    assert.equal((await own.poll({ ...request, ...found, progress: 0 })).kind, "completed")
    await own.close?.()
  })

  const SILENT: readonly (readonly [status: number, json: Json])[] = [
    [200, { code: 0, data: {} }],
    [200, { code: 5001, data: [] }],
    [500, { code: 5000 }],
    [404, { code: 1203 }],
  ]
  for (const [status, json] of SILENT) {
    it(`is not said to be missing by an answer that says nothing: ${status} ${JSON.stringify(json)}`, async () => {
      const send = () => Promise.resolve(toReply(status, json))
      const asked = kling.find?.({ model: referenceToVideo.id, key: "task.1" }, send)
      await assert.rejects(asked ?? assert.fail(), { code: "channel-unavailable" })
    })
  }

  it("of a model that may be of the older design is missing if every path says so", async () => {
    const answer = (status: number) => (path: string) =>
      path === "/tasks" ? toReply(200, { code: 0, data: [] }) : toReply(status, { code: 1203 })
    const find = (status: number) =>
      kling.find?.({ model: "acme/film", key: "task.1" }, ({ path }) =>
        Promise.resolve(answer(status)(path)),
      )
    assert.equal(await find(404), null)
    await assert.rejects(find(400) ?? assert.fail(), { code: "channel-unavailable" })
  })
})

describe("a task of Kling", () => {
  const task = (fields: object): Json => ({ code: 0, data: [{ id: "1", ...fields }] })
  itPolls(kling, { id: "1" }, [
    [200, task({ status: "submitted" }), { kind: "running", pollAfterMs: 5_000 }],
    [200, task({ status: "processing" }), { kind: "running", pollAfterMs: 5_000 }],
    [200, task({ status: "new" })],
    [200, { code: 0, data: [] }],
    [200, { code: 0, data: [{ id: "2", status: "failed" }] }],
    [404, task({ status: "failed" })],
    [
      200,
      task({
        status: "succeeded",
        outputs: [
          { type: "video", url: "https://v1-kling.klingai.com/1", watermark_url: "https://v1/w" },
          { type: "audio", mp3_url: "https://v1/3", wav_url: "https://v1-kling.klingai.com/2" },
        ],
      }),
      {
        kind: "completed",
        outputs: [
          { url: "https://v1-kling.klingai.com/1" },
          { url: "https://v1-kling.klingai.com/2" },
        ],
      },
    ],
  ])

  it("says what it cost, in money or in units, of one kind alone", () => {
    const read = (billing: Json) =>
      kling.readCost?.(toReply(200, task({ status: "succeeded", billing })), { id: "1" })
    const cash = (amount: string, currency = "USD") => ({ charge_type: "cash", amount, currency })
    const unit = { charge_type: "unit", amount: "6.0", package_type: "video" }
    assert.deepEqual(read([cash("0.42"), cash("0.08")]), { amount: 0.5, unit: "usd" })
    assert.deepEqual(read([cash("3", "CNY")]), { amount: 3, unit: "cny" })
    assert.deepEqual(read([unit]), { amount: 6, unit: "units" })
    assert.equal(read([cash("1"), unit]), undefined)
    assert.equal(read([]), undefined)
    const older = { code: 0, data: { task_id: "1", final_unit_deduction: "3.5" } }
    const handle = { id: "1", path: "/v1/videos/text2video" }
    assert.deepEqual(kling.readCost?.(toReply(200, older), handle), { amount: 3.5, unit: "units" })
  })
})

describe("the check of Kling", () => {
  it("proves the key, and buys nothing", async () => {
    const before = stub.purchases.length
    assert.deepEqual(await channel.check?.(), { kind: "ready", key: "taken" })
    const wrong = open({ key: "invalid" })
    assert.deepEqual(await wrong.check?.(), { kind: "refused", reason: "it refuses the key (401)" })
    assert.equal(stub.purchases.length, before)
    await wrong.close?.()
  })
})
