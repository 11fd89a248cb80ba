/** The channel of fal against its stub: what each answer proves, fault by fault. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createHttpChannel, PROVIDERS } from "@safelight/channel-http"
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type CallbackRequest,
  type Json,
} from "@safelight/core"
import { describeProvider } from "./describe-provider.ts"
import { fetchTypes, openProviderWorld, PICTURE, toReply } from "./provider-world.ts"
import { openAnswered } from "./open-answered.ts"
import { openWebhookListener } from "./webhook-listener.ts"

const { fal } = PROVIDERS

const world = await openProviderWorld(fal, {
  key: "key-id:key-secret",
  picture: { size: "square" },
})
const { channel, film, picture, toRequest } = world

/** Of a request's parameters fal gets those that it has. */
const EDIT = { prompt: "warm", image_urls: ["https://media.example/1.png"], quality: "low" }

describe("fal's models", () => {
  it("are its endpoints, with two members renamed and nothing else changed", async () => {
    const colors = [{ r: 1, g: 2, b: 3 }]
    await world.carryOut(picture({ colors }))
    const { body, endpoint } = world.bought()
    assert.equal(endpoint, "recraft/v4.1/flash/text-to-image")
    const { size: _size, ...same } = PICTURE
    assert.deepEqual(body, { ...same, colors, image_size: "square" })

    const edit = toRequest(imageEdit.id, { ...EDIT, count: 3, sync_mode: false })
    const edited = await world.buy(edit)
    assert.equal(edited.endpoint, "xai/grok-imagine-image/v2.0/edit")
    assert.deepEqual(edited.body, { ...EDIT, num_images: 3 })
  })

  it("give their outputs by URL, in order", async () => {
    const edited = await world.carryOut(toRequest(imageEdit.id, { ...EDIT, count: 2 }))
    assert.equal((await fetchTypes(edited)).filter((type) => type.startsWith("image/")).length, 2)
    const made = toRequest(referenceToVideo.id, { prompt: "waves", duration: 4 })
    assert.deepEqual(await fetchTypes(await world.carryOut(made)), ["video/mp4"])
  })

  it("take no film that fal does not offer", () => {
    assert.deepEqual(channel.accepts?.(film({ resolution: "1080p" })), {
      kind: "ineligible",
      reason: "resolution 1080p is not offered",
      param: "resolution",
    })
  })
})

describeProvider(world, {
  purchases: ["picture"],
  work: "picture",
  ends: {
    picture: {
      "content-policy": { kind: "refused", code: "content_policy_violation", billed: "maybe" },
      "no-media": { kind: "refused", code: "no_output" },
      "input-not-fetched": { kind: "refused", code: "media_download_failed" },
      "detail-text": { kind: "refused", code: "provider_rejected" },
      "partner-down": { kind: "not-created", reason: "provider_failed" },
      "runner-lost": { kind: "not-created", reason: "provider_failed" },
    },
  },
  refused: [["film", "resolution", { resolution: "1080p" }]],
})

/** What fal's answer about a result means, once the work is over. */
function readResult(status: number, json?: Json) {
  return fal.poll({ state: "/state", result: "/result" }, async ({ path }) =>
    path === "/state" ? toReply(200, { status: "COMPLETED" }) : toReply(status, json),
  )
}

describe("a result at fal", () => {
  const results: readonly (readonly [name: string, status: number, json?: Json])[] = [
    ["a proxy's fault", 502],
    ["a proxy's page", 200],
    ["a key that is no longer taken", 401, { detail: "Authentication is required." }],
    ["a limit", 429, { detail: "Too many", error_type: "concurrent_requests_limit" }],
    ["a result that is late", 400, { detail: "Request is still in progress" }],
    ["a result that is not found", 404, { status: "NOT_FOUND" }],
  ]
  for (const [name, status, json] of results) {
    it(`is not given up for ${name}, since it is paid for`, async () => {
      assert.equal(await readResult(status, json), undefined)
    })
  }

  for (const [name, json] of Object.entries({
    images: { images: [{ url: "https://v3b.fal.media/1.png" }], seed: 1 },
    image: {
      image: { url: "https://v3b.fal.media/1.png", width: 512 },
      mask: { url: "https://no" },
    },
    video: { video: { url: "https://v3b.fal.media/1.png" }, thumbnail: { url: "https://no" } },
    videos: { videos: ["https://v3b.fal.media/1.png"] },
  })) {
    it(`is read as its endpoint has it: ${name}`, async () => {
      const outputs = [{ url: "https://v3b.fal.media/1.png" }]
      assert.deepEqual(await readResult(200, json), { kind: "completed", outputs })
    })
  }

  it("has failed once fal has answered five times that it can't give it", async () => {
    world.stub.setFaults({ own: ["internal-error"] })
    const request = picture()
    const submitted = await channel.submit(request).finally(() => world.stub.setFaults({}))
    const waits = { code: "channel-unavailable", retryAfterMs: 15_000 }
    for (let polls = 1; polls < 5; polls += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one poll after the other
      await assert.rejects(world.follow(request, submitted), waits)
    }
    const failed = { kind: "not-created", reason: "provider_failed" }
    assert.deepEqual(await world.follow(request, submitted), failed)
  })

  it("is without a file where fal has nothing else to give", async () => {
    const outcome = await readResult(200, { seed: 1 })
    assert.ok(outcome?.kind === "unclear")
    assert.deepEqual(outcome.meaning, { kind: "completed", outputs: [] })
  })

  it("is refused once it was cancelled, which no status tells", async () => {
    const outcome = await fal.poll({ state: "/state", result: "/result" }, async ({ path }) => {
      assert.equal(path, "/state")
      return toReply(499, { detail: "Request was cancelled by the client." })
    })
    assert.deepEqual(outcome, { kind: "refused", code: "task_cancelled" })
  })

  it("is followed to fal's own hosts alone: the key goes nowhere else", async () => {
    const state = "https://attacker.example/status"
    const operation = { id: "1", state, result: state, cancel: null }
    await assert.rejects(channel.poll({ ...picture(), operation, progress: 0 }), {
      code: "channel-answer-invalid",
      message: "fal names a URL that is not its own",
    })
  })
})

describe("a purchase at fal whose answer is lost", () => {
  const OWN = "studio/flux"
  const toFlux = () =>
    ({ method: "POST", path: "/fal-ai/flux/dev", json: { prompt: "fog" } }) as const
  const models = { ...fal.models, [OWN]: { toRequest: toFlux } }

  /** Buys, takes in the webhook, and polls what it names. */
  async function recover(model: string, changes: Partial<CallbackRequest> = {}): Promise<unknown> {
    await using listener = await openWebhookListener()
    const { url: baseUrl } = world.stub
    const own = createHttpChannel({ provider: { ...fal, models }, key: "id:secret", baseUrl })
    const callback = { url: listener.url, secret: "s".repeat(43) }
    const request = world.toRequest(model, { ...PICTURE, size: "square" })
    await own.submit({ ...request, callback })
    const { signal, upstreamKey } = request
    const asked = { model, upstreamKey, secret: callback.secret, signal }
    const told = await own.receive?.({ ...asked, ...(await listener.next()), ...changes })
    assert.ok(told?.kind === "verified")
    if (told.operation === undefined) return undefined
    const outcome = await own.poll({ ...request, operation: told.operation, progress: 0 })
    await own.close?.()
    return outcome.kind
  }

  it("is found by its webhook, at a model of one's own too", async () => {
    assert.equal(await recover(textToImage.id), "completed")
    assert.equal(await recover(OWN), "completed")
  })

  it("is found by the webhook of a purchase that an earlier release made", async () => {
    assert.equal(await recover(textToImage.id, { query: {} }), "completed")
  })

  it("is not asked for where nothing says to which app it went", async () => {
    assert.equal(await recover(OWN, { query: {} }), undefined)
    assert.equal(await recover(OWN, { query: { app: "../requests" } }), undefined)
  })
})

describe("a refusal of fal", () => {
  it("is read where it holds the input that was refused", async (t) => {
    const input = "A".repeat(2_000_000)
    const detail = [{ loc: ["body"], msg: "no", type: "image_too_small", input }]
    const own = await openAnswered(t, fal, (path) =>
      path === "/state" ? [200, { status: "COMPLETED" }] : [422, { detail }],
    )
    const refusal = { kind: "refused", code: "media_too_small", providerWords: "no" }
    assert.deepEqual(await own.submit(picture()), refusal)
    const operation = { id: "1", state: "/state", result: "/result", cancel: null }
    assert.deepEqual(await own.poll({ ...picture(), operation, progress: 0 }), refusal)
  })

  for (const json of [{}, { error: "no" }, { detail: [] }, "no"]) {
    it(`is in its own shape alone: ${JSON.stringify(json)}`, async () => {
      assert.equal(fal.readCreate(toReply(400, json)), undefined)
      assert.equal(fal.readCreate(toReply(422, json)), undefined)
      assert.equal(await readResult(422, json), undefined)
    })
  }
})
