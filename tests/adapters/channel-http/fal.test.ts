/** The channel of fal against its stub: what each answer proves, fault by fault. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { createHttpChannel, fal } from "@safelight/channel-http"
import {
  imageEdit,
  referenceToVideo,
  textToImage,
  type Channel,
  type ChannelRequest,
  type Json,
  type PollOutcome,
  type SubmitOutcome,
} from "@safelight/core"
import { STUBS, type RunningStub, type StubFaults } from "@safelight/testkit/stubs"

const KEY = "key-id:key-secret"
let stub: RunningStub
let channel: Channel
let keys = 0

before(async () => {
  stub = (await STUBS["fal"]?.({ queueMs: 0, runMs: 0, slowMs: 2_000 })) ?? assert.fail()
  channel = createHttpChannel({ provider: fal, key: KEY, baseUrl: stub.url })
})
after(async () => {
  await channel.close?.()
  await stub[Symbol.asyncDispose]()
})

function toRequest(model: string, parameters: object, timeoutMs = 10_000): ChannelRequest {
  keys += 1
  const signal = AbortSignal.timeout(timeoutMs)
  const own = { task: "task", account: "account", upstreamKey: `task.${keys}` }
  return { ...own, model, parameters: parameters as ChannelRequest["parameters"], signal }
}

const PICTURE = { prompt: "fog", size: "square", enable_safety_checker: true, colors: [] }
const picture = (timeoutMs?: number): ChannelRequest =>
  toRequest(textToImage.id, PICTURE, timeoutMs)

async function follow(request: ChannelRequest, submitted: SubmitOutcome): Promise<PollOutcome> {
  assert.ok(submitted.kind === "accepted", JSON.stringify(submitted))
  const { operation } = submitted
  for (;;) {
    const outcome = await channel.poll({ ...request, operation, progress: 0 })
    if (outcome.kind !== "running") return outcome
  }
}

async function carryOut(request: ChannelRequest): Promise<PollOutcome> {
  return follow(request, await channel.submit(request))
}

/** Buys with a fault; to the outcome, or the code of the error, and how much was bought. */
async function buyWith(
  faults: Partial<StubFaults>,
  timeoutMs?: number,
): Promise<readonly [outcome: unknown, bought: number]> {
  const bought = stub.purchases.length
  stub.setFaults(faults)
  try {
    const outcome = await channel.submit(picture(timeoutMs)).catch((error: unknown) => {
      return (error as { readonly code?: string }).code
    })
    return [outcome, stub.purchases.length - bought]
  } finally {
    stub.setFaults({})
  }
}

describe("fal's models", () => {
  it("are its endpoints, with two members renamed and nothing else changed", async () => {
    const colors = [{ r: 1, g: 2, b: 3 }]
    await carryOut(toRequest(textToImage.id, { ...PICTURE, colors }))
    const { body, endpoint } = stub.purchases.at(-1) ?? assert.fail()
    assert.equal(endpoint, "recraft/v4.1/flash/text-to-image")
    const { size, ...same } = PICTURE
    assert.deepEqual(body, { ...same, colors, image_size: size })

    const edit = { prompt: "warm", image_urls: ["https://media.example/1.png"], quality: "low" }
    await channel.submit(toRequest(imageEdit.id, { ...edit, count: 3, sync_mode: false }))
    const edited = stub.purchases.at(-1) ?? assert.fail()
    assert.equal(edited.endpoint, "xai/grok-imagine-image/v2.0/edit")
    assert.deepEqual(edited.body, { ...edit, num_images: 3 })
  })

  it("give their outputs by URL, in order", async () => {
    const edit = { prompt: "warm", image_urls: ["https://media.example/1.png"], count: 2 }
    const done = await carryOut(toRequest(imageEdit.id, edit))
    assert.ok(done.kind === "completed")
    assert.equal(done.outputs.length, 2)
    const film = await carryOut(toRequest(referenceToVideo.id, { prompt: "waves", duration: 4 }))
    assert.ok(film.kind === "completed" && film.outputs.length === 1)
    for (const output of [...done.outputs, ...film.outputs]) {
      assert.ok("url" in output)
      const answer = await fetch(output.url)
      assert.match(answer.headers.get("content-type") ?? "", /^(image|video)\//)
      await answer.body?.cancel()
    }
  })

  it("take no film that fal does not offer", () => {
    const accepts = (resolution: string) =>
      channel.accepts?.(toRequest(referenceToVideo.id, { resolution }))
    assert.equal(accepts("720p"), true)
    assert.deepEqual(accepts("1080p"), {
      kind: "ineligible",
      reason: "resolution 1080p is not offered",
      param: "resolution",
    })
  })
})

describe("a purchase at fal", () => {
  const unknown: readonly (readonly [fault: NonNullable<StubFaults["create"]>, code: string])[] = [
    ["reset", "channel-unavailable"],
    ["server-error", "channel-answer-invalid"],
    ["gateway-error", "channel-answer-invalid"],
    ["html", "channel-answer-invalid"],
    ["empty", "channel-answer-invalid"],
    ["truncated", "channel-answer-invalid"],
    ["redirect", "channel-answer-invalid"],
  ]
  for (const [create, code] of unknown) {
    it(`is sent once and in doubt where its answer is lost: ${create}`, async () => {
      assert.deepEqual(await buyWith({ create }), [code, 1])
    })
  }

  it("is sent once and in doubt where its answer takes too long", async () => {
    assert.deepEqual(await buyWith({ create: "slow" }, 300), ["aborted", 1])
  })

  it("was not made where fal has no room, and waits as long as it says", async () => {
    const busy = { kind: "busy", reason: "provider_busy" }
    assert.deepEqual(await buyWith({ create: "busy" }), [busy, 0])
    const [seconds] = await buyWith({ create: "busy-seconds" })
    assert.ok((seconds as { retryAfterMs: number }).retryAfterMs > 0)
    const [date] = await buyWith({ create: "busy-date" })
    assert.ok((date as { retryAfterMs: number }).retryAfterMs > 0)
  })

  it("was not made where nobody listens, or the key is wrong", async () => {
    const nobody = createHttpChannel({ provider: fal, key: KEY, baseUrl: "http://127.0.0.1:1" })
    const unreachable = { kind: "not-created", reason: "unreachable" }
    assert.deepEqual(await nobody.submit(picture()), unreachable)
    const wrong = createHttpChannel({ provider: fal, key: "invalid", baseUrl: stub.url })
    const refused = { kind: "not-created", reason: "provider_answered_401" }
    assert.deepEqual(await wrong.submit(picture()), refused)
    await Promise.all([nobody.close?.(), wrong.close?.()])
  })
})

describe("work at fal", () => {
  const ends: readonly (readonly [fault: string, expected: object])[] = [
    ["content-policy", { kind: "refused", code: "content_policy_violation" }],
    ["no-media", { kind: "refused", code: "no_output" }],
    ["input-not-fetched", { kind: "refused", code: "media_download_failed" }],
    ["detail-text", { kind: "refused", code: "provider_rejected" }],
    ["partner-down", { kind: "not-created", reason: "provider_failed" }],
    ["runner-lost", { kind: "not-created", reason: "provider_failed" }],
  ]
  for (const [fault, expected] of ends) {
    it(`ends as fal says: ${fault}`, async () => {
      stub.setFaults({ own: [fault] })
      const outcome = await carryOut(picture()).finally(() => stub.setFaults({}))
      const { kind, ...rest } = outcome
      const told = "code" in rest ? { kind, code: rest.code } : outcome
      assert.deepEqual(told, expected)
    })
  }

  const silent = ["reset", "server-error", "html", "truncated", "not-found"] as const
  for (const poll of silent) {
    it(`is asked again where an answer tells nothing: ${poll}`, async () => {
      const request = picture()
      const submitted = await channel.submit(request)
      stub.setFaults({ poll })
      await assert.rejects(follow(request, submitted), { retryable: true })
      stub.setFaults({})
      assert.equal((await follow(request, submitted)).kind, "completed")
    })
  }

  const results: readonly (readonly [name: string, status: number, json?: Json])[] = [
    ["a proxy's fault", 502],
    [
      "a fault of fal's own",
      500,
      { detail: "Internal Server Error", error_type: "internal_error" },
    ],
    ["a key that is no longer taken", 401, { detail: "Authentication is required." }],
    ["a limit", 429, { detail: "Too many", error_type: "concurrent_requests_limit" }],
    ["a result that is late", 400, { detail: "Request is still in progress" }],
    ["a result that is not found", 404, { status: "NOT_FOUND" }],
  ]
  for (const [name, status, json] of results) {
    it(`is not given up for ${name}, since the result is paid for`, async () => {
      const outcome = await fal.poll({ state: "/state", result: "/result" }, async ({ path }) => {
        const reply = { headers: {}, retryAfterMs: undefined }
        if (path === "/state") return { ...reply, status: 200, json: { status: "COMPLETED" } }
        return { ...reply, status, json }
      })
      assert.equal(outcome, undefined)
    })
  }

  it("is followed to fal's own hosts alone: the key goes nowhere else", async () => {
    const request = picture()
    const state = "https://attacker.example/status"
    const operation = { id: "1", state, result: state, cancel: null }
    await assert.rejects(channel.poll({ ...request, operation, progress: 0 }), {
      code: "channel-answer-invalid",
      message: "fal names a URL that is not its own",
    })
  })
})
