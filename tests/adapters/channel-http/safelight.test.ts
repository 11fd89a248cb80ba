/** The channel of another Safelight: what each answer of its API proves, from a real one and by its codes. */
import assert from "node:assert/strict"
import { after, describe, it } from "node:test"
import { createHttpChannel, type ProviderRequest, PROVIDERS } from "@safelight/channel-http"
import {
  imageEdit,
  textToImage,
  type ApiKeyScope,
  type Channel,
  type ChannelRequest,
  type Json,
  type PollOutcome,
  type SubmitOutcome,
} from "@safelight/core"
import { startLyingProxy, type Spoil } from "../../support/lying-proxy.ts"
import { toReply, toRequest as toPlainRequest, turnedAway, withoutWords } from "./provider-world.ts"
import { openSafelightWorld } from "./safelight-world.ts"

const { safelight } = PROVIDERS

const world = await openSafelightWorld()
const proxy = await startLyingProxy(world.service.url)
const channel = world.openChannel()
const spoiled = createHttpChannel({ provider: safelight, key: world.key, baseUrl: proxy.url })
after(async () => {
  await spoiled.close?.()
  await proxy[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

function toRequest(parameters: object = { prompt: "fog" }, model = textToImage.id): ChannelRequest {
  return toPlainRequest(model, parameters)
}

async function follow(request: ChannelRequest, by: Channel = channel): Promise<PollOutcome> {
  const submitted = await by.submit(request)
  assert.ok(submitted.kind === "accepted", JSON.stringify(submitted))
  for (;;) {
    const { operation } = submitted
    const outcome = await by.poll({ ...request, operation, progress: 0 })
    if (outcome.kind !== "running") return outcome
  }
}

/** What a purchase comes to, or the code of its error; and how many tasks it made. */
async function buy(by: Channel, request = toRequest()): Promise<readonly [unknown, number]> {
  const before = world.countTasks()
  const outcome = await by.submit(request).catch((error: unknown) => {
    return (error as { readonly code?: string }).code
  })
  return [outcome, world.countTasks() - before]
}

const isCreation = ({ method }: { readonly method: string }): boolean => method === "POST"

/** What of a service's answer comes through a proxy, after the task was made. */
const LOST: Readonly<Record<string, readonly [Spoil, code: string]>> = {
  "the connection breaks": [() => "reset", "channel-unavailable"],
  "a 500 after the task was recorded": [
    (answer) => ({ ...answer, status: 500 }),
    "channel-answer-invalid",
  ],
  "a 503 of the service's own": [
    (answer) => ({ ...answer, status: 503, body: toError("overloaded") }),
    "channel-answer-invalid",
  ],
  "a page of a gateway": [
    () => ({ status: 502, headers: { "content-type": "text/html" }, body: Buffer.from("<p>") }),
    "channel-answer-invalid",
  ],
  "a page with 200": [
    () => ({ status: 200, headers: { "content-type": "text/html" }, body: Buffer.from("<p>") }),
    "channel-answer-invalid",
  ],
  "half of the JSON": [
    ({ body, status }) => ({ status, headers: {}, body: body.subarray(0, body.length / 2) }),
    "channel-answer-invalid",
  ],
  "a redirect": [
    () => ({ status: 307, headers: { location: `${proxy.url}/v1/tasks` }, body: Buffer.alloc(0) }),
    "channel-answer-invalid",
  ],
  "no word": [() => "silence", "aborted"],
}

function toError(code: string): Buffer {
  return Buffer.from(JSON.stringify({ error: { message: "no", type: "api_error", code } }))
}

describe("a purchase at another Safelight", () => {
  it("says all that was asked for, under our key, and one hop more than it was told", async () => {
    const parameters = { prompt: "fog", size: "square", colors: [{ r: 1, g: 2, b: 3 }] }
    const { toRequest: write } = safelight.models[textToImage.id] ?? assert.fail()
    const asked = { model: textToImage.id, upstream: textToImage.id }
    assert.deepEqual(write(parameters, "task.1", { ...asked, hops: 2 }), {
      method: "POST",
      path: "/v1/tasks",
      headers: { "idempotency-key": "task.1", "safelight-hops": "3" },
      json: { model: textToImage.id, parameters },
    })
  })

  for (const [what, [spoil, code]] of Object.entries(LOST)) {
    it(`is made once and found again by its key where its answer is lost: ${what}`, async () => {
      const isSilent = code === "aborted"
      const request = {
        ...toRequest(),
        ...(isSilent && { signal: AbortSignal.timeout(500) }),
      }
      proxy.lie(isCreation, spoil)
      const lost = await buy(spoiled, request).finally(() => proxy.lie())
      assert.deepEqual(lost, [code, 1])
      const repeat = { ...request, isRepeat: true, signal: AbortSignal.timeout(10_000) } as const
      const [found, more] = await buy(spoiled, repeat)
      assert.equal((found as { readonly kind: string }).kind, "accepted")
      assert.equal(more, 0)
    })
  }

  it("is in doubt where the key stands for another request", async () => {
    const request = toRequest()
    await channel.submit(request)
    const other = { ...request, parameters: { prompt: "another" } } as ChannelRequest
    assert.deepEqual(await buy(channel, other), ["channel-answer-invalid", 0])
  })

  it("was refused where the request is wrong, in words that are kept apart", async () => {
    const wrong = toRequest({ prompt: "fog", image_urls: ["ftp://media.example/1"] }, imageEdit.id)
    const [outcome, made] = await buy(channel, wrong)
    const { providerWords, ...rest } = outcome as { readonly providerWords?: string }
    assert.deepEqual(
      [rest, made],
      [{ kind: "refused", isFinal: false, code: "provider_rejected" }, 0],
    )
    assert.match(providerWords ?? "", /image_urls/)
  })

  it("was not made with a key that may not, or that is nobody's", async () => {
    const keys = {
      provider_answered_401: await world.createKey({ revokedAt: 1 }),
      provider_answered_403: await world.createKey({ scopes: ["tasks:read"] }),
      provider_out_of_money: await world.createKey({ settings: { budgetMicros: 0 } }),
    }
    for (const [reason, key] of Object.entries(keys)) {
      const [outcome, made] = await buy(world.openChannel(key))
      assert.deepEqual([withoutWords(outcome as SubmitOutcome), made], [turnedAway(reason), 0])
    }
  })

  it("was not made where there is no room, and waits as long as it is told", async () => {
    const rates = { create: { requests: 1, windowMs: 3_600_000 }, read: null, content: null }
    const slow = world.openChannel(await world.createKey({ settings: { rates } }))
    await slow.submit(toRequest())
    const full = world.openChannel(await world.createKey({ settings: { unfinishedTasks: 0 } }))
    for (const busy of [slow, full]) {
      const [outcome, made] = await buy(busy)
      const { retryAfterMs = 0, ...rest } = outcome as { readonly retryAfterMs?: number }
      assert.deepEqual([rest, made], [{ kind: "busy", reason: "provider_busy" }, 0])
      assert.ok(retryAfterMs > 0)
    }
  })

  it("was not made of a model that it has not, whatever the configuration says", async () => {
    const models = ["vendor-x/picture"]
    const key = world.key
    const made = createHttpChannel({ provider: safelight, key, models, baseUrl: world.service.url })
    const reason = "model_not_found"
    const request = toRequest({ prompt: "fog" }, models[0])
    const [outcome, count] = await buy(made, request)
    const expected = { kind: "not-created", reason }
    assert.deepEqual([withoutWords(outcome as SubmitOutcome), count], [expected, 0])
    await made.close?.()
  })

  const answers: readonly (readonly [
    number,
    code: string | undefined,
    kind?: string | undefined,
  ])[] = [
    [409, "idempotency_key_in_use", "pending"],
    [409, undefined, undefined],
    [422, "idempotency_key_reused", undefined],
    [400, undefined, undefined],
    [408, "request_timeout", undefined],
    [413, undefined, "refused"],
    [429, undefined, "busy"],
    [500, "internal_error", undefined],
    [503, "outcome_unknown", undefined],
    [200, undefined, undefined],
  ]
  for (const [status, code, kind] of answers) {
    it(`is ${kind ?? "in doubt"} where the answer is ${status} ${code ?? ""}`, () => {
      const json = code === undefined ? undefined : { error: { code, message: "no", type: "x" } }
      assert.equal(safelight.readCreate(toReply(status, json))?.kind, kind)
    })
  }

  it("needs an address, since there is no usual one", () => {
    assert.throws(() => createHttpChannel({ provider: safelight, key: "key" }), {
      code: "invalid-configuration",
      message: /baseUrl of safelight/,
    })
  })
})

describe("work at another Safelight", () => {
  it("ends in its outputs at its API's own paths, with the key and their digests", async () => {
    const images = ["data:image/png;base64,AAAA"]
    const request = toRequest({ prompt: "fog", image_urls: images, count: 2 }, imageEdit.id)
    const outcome = await follow(request)
    assert.ok(outcome.kind === "completed")
    assert.equal(outcome.outputs.length, 2)
    for (const output of outcome.outputs) {
      assert.ok("url" in output && output.url.startsWith(`${world.service.url}/v1/tasks/`))
      assert.deepEqual(output.headers, { authorization: `Bearer ${world.key}` })
      assert.match(output.sha256 ?? "", /^[0-9a-f]{64}$/)
      assert.ok((output.expiresAt ?? 0) > Date.now())
    }
  })

  it("fails as it failed there, in the provider's words, which are kept apart", async () => {
    world.stub.setFaults({ own: ["content-policy"] })
    const outcome = await follow(toRequest()).finally(() => world.stub.setFaults({}))
    assert.deepEqual(withoutWords(outcome), { kind: "refused", code: "content_policy_violation" })
    assert.ok(outcome.kind === "refused" && outcome.providerWords !== undefined)
  })

  it("is asked for again where its answer tells nothing", async () => {
    const request = toRequest()
    const submitted = await spoiled.submit(request)
    assert.ok(submitted.kind === "accepted")
    const asked = { ...request, operation: submitted.operation, progress: 0 }
    const isRead = ({ method }: { readonly method: string }): boolean => method !== "POST"
    const lies = Object.values(LOST).flatMap(([spoil, code]) => (code === "aborted" ? [] : [spoil]))
    for (const spoil of lies) {
      proxy.lie(isRead, spoil)
      await assert.rejects(spoiled.poll(asked), { retryable: true })
    }
    proxy.lie()
    assert.notEqual((await spoiled.poll(asked)).kind, "refused")
  })
})

type Answer = readonly [status: number, json?: Json | undefined, digest?: string]
type Answers = Readonly<Record<string, Answer>>

const TASK = { task_id: "1", status: "succeeded", progress: 100, error: null }
const USAGE = { charge_micros: 7, usage: { images: 2, output_video_ms: 0, input_videos_ms: [] } }
const DIGEST = `sha-256=:${Buffer.alloc(32, 1).toString("base64")}:`
const ARTIFACTS = { artifacts: [{ key: "image_1", expires_at: 9 }, { key: "image_2" }] }

const ANSWERS: Answers = {
  "GET /v1/tasks/1": [200, TASK],
  "GET /v1/tasks/1/usage": [200, USAGE],
  "GET /v1/tasks/1/artifacts": [200, ARTIFACTS],
  "HEAD /v1/tasks/1/artifacts/image_1/content": [200, undefined, DIGEST],
  "HEAD /v1/tasks/1/artifacts/image_2/content": [200, undefined, DIGEST],
}

/** What a poll comes to where these answers are others. */
function poll(others: Answers = {}): ReturnType<typeof safelight.poll> {
  return safelight.poll({ id: "1" }, async ({ method, path }: ProviderRequest) => {
    const [status, json, digest] =
      others[`${method} ${path}`] ?? ANSWERS[`${method} ${path}`] ?? assert.fail(path)
    return toReply(status, json, digest === undefined ? {} : { "repr-digest": digest })
  })
}

function toFailed(code: string): Answers {
  return { "GET /v1/tasks/1": [200, { ...TASK, status: "failed", error: { code } }] }
}

const FREE = { charge_micros: 0, usage: null }

describe("an answer about work at another Safelight", () => {
  const [first, second] = ["image_1", "image_2"].map((key) => ({
    url: `/v1/tasks/1/artifacts/${key}/content`,
    sha256: "01".repeat(32),
  }))

  it("names each output, with its digest and its expiry where they are told", async () => {
    const outputs = [{ ...first, expiresAt: 9_000 }, second]
    assert.deepEqual(await poll(), { kind: "completed", outputs })
    const plain = await poll({ "HEAD /v1/tasks/1/artifacts/image_2/content": [200] })
    assert.ok(plain?.kind === "completed")
    assert.deepEqual(plain.outputs[1], { url: second?.url })
  })

  it("keeps what can still be had where another output is gone, and says so where all are", async () => {
    const gone = { "HEAD /v1/tasks/1/artifacts/image_1/content": [410] } as const
    assert.deepEqual(await poll(gone), { kind: "completed", outputs: [second] })
    const all = { ...gone, "HEAD /v1/tasks/1/artifacts/image_2/content": [410] } as const
    assert.deepEqual(await poll(all), { kind: "completed", outputs: [] })
  })

  it("tells how long the reference videos are", async () => {
    const usage = { ...USAGE, usage: { ...USAGE.usage, input_videos_ms: [4_000, 1] } }
    const outcome = await poll({ "GET /v1/tasks/1/usage": [200, usage] })
    assert.ok(outcome?.kind === "completed")
    assert.deepEqual(outcome.inputVideosMs, [4_000, 1])
  })

  const silent: Answers = {
    "GET /v1/tasks/1": [404, { error: { code: "task_not_found" } }],
    "GET /v1/tasks/1/usage": [503],
    "GET /v1/tasks/1/artifacts": [200, { artifacts: "all" }],
    "HEAD /v1/tasks/1/artifacts/image_2/content": [503],
  }
  for (const [path, answer] of Object.entries(silent)) {
    it(`is waited for, since the result is paid for: ${path}`, async () => {
      assert.equal(await poll({ [path]: answer }), undefined)
    })
  }

  it("is bounded where it lists outputs without end", async () => {
    const artifacts = Array.from({ length: 10_000 }, () => ({ key: "image_1" }))
    const outcome = await poll({ "GET /v1/tasks/1/artifacts": [200, { artifacts }] })
    assert.ok(outcome?.kind === "completed" && outcome.outputs.length === 64)
  })

  it("is no news where it is asked too often, and is asked later", async () => {
    const busy = await poll({ "GET /v1/tasks/1": [429] })
    assert.deepEqual(busy, { kind: "running", pollAfterMs: 2_000 })
  })

  it("tells progress within its bounds", async () => {
    for (const [progress, told] of [
      [0, undefined],
      [40, 40],
      [100, undefined],
      ["40", undefined],
    ] as const) {
      const running = await poll({
        "GET /v1/tasks/1": [200, { ...TASK, status: "running", progress }],
      })
      assert.ok(running?.kind === "running")
      assert.equal(running.progress, told)
    }
  })

  const ends: Readonly<Record<string, string>> = {
    content_policy_violation: "content_policy_violation",
    upstream_outcome_unknown: "upstream_outcome_unknown",
    generation_timeout: "generation_timeout",
    internal_error: "internal_error",
    made_up: "provider_rejected",
  }
  for (const [there, here] of Object.entries(ends)) {
    it(`that it failed as ${there} is the end as ${here}, at no charge`, async () => {
      const failed = { ...toFailed(there), "GET /v1/tasks/1/usage": [200, FREE] } as const
      assert.deepEqual(await poll(failed), { kind: "refused", code: here })
    })
  }

  it("that it failed and was charged for is passed on with what it used", async () => {
    assert.deepEqual(await poll(toFailed("no_output")), {
      kind: "refused",
      code: "no_output",
      billed: { images: 2, outputVideoMs: 0 },
    })
  })

  it("that it never found a provider lets another attempt follow", async () => {
    const reason = "provider_unavailable"
    const failed = { ...toFailed(reason), "GET /v1/tasks/1/usage": [200, FREE] } as const
    assert.deepEqual(await poll(failed), { kind: "not-created", reason })
  })
})

describe("the check of another Safelight", () => {
  const check = async (by: Channel): Promise<unknown> => by.check?.()

  it("proves the key and the models, and makes nothing", async () => {
    const before = world.countTasks()
    assert.deepEqual(await check(channel), { kind: "ready", key: "taken" })
    assert.equal(world.countTasks(), before)
  })

  const scopes: readonly ApiKeyScope[] = ["tasks:write", "tasks:read", "artifacts:read"]
  for (const lacking of scopes) {
    it(`tells of a key that may do no ${lacking}`, async () => {
      const key = await world.createKey({ scopes: scopes.filter((each) => each !== lacking) })
      const reason = `it does not let the key do ${lacking} (403)`
      assert.deepEqual(await check(world.openChannel(key)), { kind: "refused", reason })
    })
  }

  it("tells of a key that is refused, a model that is not there, and what is no Safelight", async () => {
    const revoked = world.openChannel(await world.createKey({ revokedAt: 1 }))
    assert.deepEqual(await check(revoked), { kind: "refused", reason: "it refuses the key (401)" })
    const key = world.key
    const models = [textToImage.id, "vendor-x/picture"]
    const wanting = createHttpChannel({
      provider: safelight,
      key,
      models,
      baseUrl: world.service.url,
    })
    const reason = "it has no model vendor-x/picture"
    assert.deepEqual(await check(wanting), { kind: "unavailable", reason })
    proxy.lie(() => true, LOST["a page with 200"]?.[0])
    const odd = await check(spoiled).finally(() => proxy.lie())
    assert.deepEqual(odd, { kind: "unavailable", reason: "it answers 200, as no Safelight does" })
    const nobody = createHttpChannel({ provider: safelight, key, baseUrl: "http://127.0.0.1:1" })
    assert.match(JSON.stringify(await check(nobody)), /can't be reached/)
    await Promise.all([wanting, nobody].map(async (each) => each.close?.()))
  })
})
