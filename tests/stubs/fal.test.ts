/** The stub of fal, asked as fal's documentation says, and by fal's own client. */
import assert from "node:assert/strict"
import { createHash, createPublicKey, verify } from "node:crypto"
import { describe, it } from "node:test"
import { createFalClient } from "@fal-ai/client"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { createManualClock } from "@safelight/testkit"
import { callJson } from "./support/call-json.ts"
import { startHookReceiver, type ReceivedHook } from "./support/hook-receiver.ts"
import { probeMedia, skipWithoutProbe } from "./support/probe-media.ts"
import { until } from "../support/until.ts"

const IMAGE = "recraft/v4.1/flash/text-to-image"
const FILM = "bytedance/seedance-2.5/reference-to-video"
const headers = { authorization: "Key test" }

const start = (options?: StubOptions): Promise<RunningStub> => STUBS["fal"]!(options)

function submit(stub: RunningStub, body: unknown = { prompt: "a fox" }, query = "") {
  return callJson(`${stub.url}/${IMAGE}${query}`, { headers, body })
}

describe("the stub of fal", () => {
  it("takes a request through queue, run and result, and serves the picture", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, queueMs: 3_000, runMs: 5_000 })
    const { status, body } = await submit(stub, { prompt: "a fox", image_size: "portrait_4_3" })
    assert.equal(status, 200)
    assert.equal(body.queue_position, 3)
    assert.equal(body.status_url, `${stub.url}/recraft/v4.1/requests/${body.request_id}/status`)
    const states: unknown[] = []
    for (const stepMs of [0, 3_000, 5_000]) {
      await clock.advance(stepMs)
      states.push((await callJson(`${body.status_url}?logs=1`, { headers })).body.status)
    }
    assert.deepEqual(states, ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"])
    const result = await callJson(body.response_url, { headers })
    assert.equal(result.headers.get("x-fal-billable-units"), "1")
    const [image] = result.body.images
    assert.deepEqual([image.width, image.height, image.content_type], [768, 1024, "image/png"])
    const bytes = await (await fetch(image.url)).bytes()
    assert.equal(bytes.length, image.file_size)
    assert.deepEqual(
      stub.purchases.map(({ id, key, endpoint }) => ({ id, key, endpoint })),
      [{ id: body.request_id, key: null, endpoint: IMAGE }],
    )
  })

  it("counts every repeat as a purchase, and none that was refused", async () => {
    await using stub = await start()
    await submit(stub)
    await submit(stub)
    const refused = await submit(stub, { prompt: 7 })
    assert.equal(refused.status, 422)
    assert.equal(refused.body.detail[0].type, "string_type")
    const stranger = await callJson(`${stub.url}/${IMAGE}`, {
      headers: { authorization: "Key invalid" },
      body: { prompt: "a fox" },
    })
    const bearer = await callJson(`${stub.url}/${IMAGE}`, {
      headers: { authorization: "Bearer test" },
      body: { prompt: "a fox" },
    })
    assert.deepEqual([stranger.status, bearer.status], [401, 401])
    const cut = await fetch(`${stub.url}/${IMAGE}`, { method: "POST", headers, body: '{"prom' })
    assert.equal(cut.status, 400)
    assert.equal(stub.purchases.length, 2)
    assert.equal(new Set(stub.purchases.map(({ id }) => id)).size, 2)
  })

  it("makes films of the wanted size and length", { skip: skipWithoutProbe }, async () => {
    await using stub = await start({ runMs: 0, filmBytes: 100_000 })
    const input = { prompt: "a fox", duration: 6, resolution: "480p", aspect_ratio: "9:16" }
    const { body } = await callJson(`${stub.url}/${FILM}`, { headers, body: input })
    const { video } = (await callJson(body.response_url, { headers })).body
    const bytes = await (await fetch(video.url)).bytes()
    assert.deepEqual([bytes.length, video.file_size], [100_000, 100_000])
    assert.deepEqual(probeMedia(bytes), {
      codec: "h264",
      width: 480,
      height: 854,
      frames: 150,
      durationMs: 6_000,
    })
  })

  it("answers at once on its synchronous host, for a purchase of its own", async () => {
    await using stub = await start({ runMs: 1 })
    const { body } = await callJson(`${stub.url}/fal.run/${IMAGE}`, {
      headers,
      body: { prompt: "a fox" },
    })
    assert.equal(body.images.length, 1)
    assert.equal(stub.purchases.length, 1)
  })

  it("tells a model's failure with the result, and a runner's with the status", async () => {
    await using stub = await start({ runMs: 0 })
    const outcomes: unknown[] = []
    for (const fault of ["content-policy", "detail-text", "generation-timeout", "runner-lost"]) {
      stub.setFaults({ own: [fault] })
      const { body } = await submit(stub)
      const state = await callJson(body.status_url, { headers })
      const result = await callJson(body.response_url, { headers })
      const { detail } = result.body
      const type = typeof detail === "string" ? "text" : detail[0].type
      outcomes.push([state.body.status, state.body.error_type, result.status, type])
    }
    assert.deepEqual(outcomes, [
      ["COMPLETED", undefined, 422, "content_policy_violation"],
      ["COMPLETED", undefined, 422, "text"],
      ["COMPLETED", undefined, 504, "generation_timeout"],
      ["COMPLETED", "runner_disconnected", 503, "text"],
    ])
  })

  it("cancels what is not over, and may complete it all the same", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, runMs: 1_000 })
    const { body: first } = await submit(stub)
    const cancel = (url: string) => callJson(url, { method: "PUT", headers })
    assert.equal((await cancel(first.cancel_url)).body.status, "CANCELLATION_REQUESTED")
    const gone = await callJson(first.response_url, { headers })
    assert.deepEqual([gone.status, gone.body.error_type], [499, "client_cancelled"])
    stub.setFaults({ own: ["late-cancel"] })
    const { body: second } = await submit(stub)
    assert.equal((await cancel(second.cancel_url)).status, 202)
    await clock.advance(1_000)
    assert.equal((await callJson(second.response_url, { headers })).status, 200)
    assert.equal((await cancel(second.cancel_url)).body.status, "ALREADY_COMPLETED")
    assert.equal((await cancel(`${stub.url}/recraft/v4.1/requests/none/cancel`)).status, 404)
  })

  it("gives up a request that could not start in time", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, queueMs: 60_000 })
    const { body } = await callJson(`${stub.url}/${IMAGE}`, {
      headers: { ...headers, "x-fal-request-timeout": "30" },
      body: { prompt: "a fox" },
    })
    await clock.advance(61_000)
    const result = await callJson(body.response_url, { headers })
    assert.deepEqual([result.status, result.body.error_type], [504, "request_timeout"])
    assert.equal(result.headers.get("x-fal-request-timeout-type"), "user")
  })

  it("lists requests by endpoint, with payloads, in pages, and lags if told to", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, runMs: 0 })
    const ids: string[] = []
    for (const prompt of ["one", "two", "three"]) {
      ids.unshift((await submit(stub, { prompt })).body.request_id)
      await clock.advance(10)
    }
    const list = `${stub.url}/api.fal.ai/v1/models/requests/by-endpoint?endpoint_id=${IMAGE}`
    const page = await callJson(`${list}&limit=2&expand=payloads`, { headers })
    const told = page.body.items.map((each: Record<string, unknown>) => each["request_id"])
    assert.deepEqual(told, ids.slice(0, 2))
    assert.deepEqual(page.body.items[0].json_input, { prompt: "three" })
    const rest = await callJson(`${list}&limit=2&cursor=${page.body.next_cursor}`, { headers })
    assert.deepEqual([rest.body.items.length, rest.body.has_more], [1, false])
    assert.equal(rest.body.items[0].json_input, undefined)
    stub.setFaults({ own: ["list-lags"] })
    assert.equal((await callJson(list, { headers })).body.items.length, 0)
    await clock.advance(120_000)
    assert.equal((await callJson(list, { headers })).body.items.length, 3)
  })

  it("deletes files when the request's lifecycle says so", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, runMs: 0 })
    const preference = JSON.stringify({ expiration_duration_seconds: 60 })
    const { body } = await callJson(`${stub.url}/${IMAGE}`, {
      headers: { ...headers, "x-fal-object-lifecycle-preference": preference },
      body: { prompt: "a fox" },
    })
    const { url } = (await callJson(body.response_url, { headers })).body.images[0]
    assert.equal((await fetch(url)).status, 200)
    await clock.advance(60_000)
    assert.equal((await fetch(url)).status, 404)
  })
})

async function verifyHook(stub: RunningStub, { headers: sent, raw }: ReceivedHook) {
  const { body } = await callJson(`${stub.url}/rest.fal.ai/.well-known/jwks.json`)
  const lines = ["request-id", "user-id", "timestamp"].map((name) => sent[`x-fal-webhook-${name}`])
  const digest = createHash("sha256").update(raw).digest("hex")
  const signed = Buffer.from([...lines, digest].join("\n"))
  const signature = Buffer.from(String(sent["x-fal-webhook-signature"]), "hex")
  return body.keys.some(({ x, ...key }: { readonly x: string; readonly kty: string }) => {
    assert.match(x, /=$/, "keys are padded, as fal's are")
    const jwk = { ...key, x: x.replaceAll("=", "") }
    return verify(null, signed, createPublicKey({ key: jwk, format: "jwk" }), signature)
  })
}

describe("the webhooks of fal's stub", () => {
  it("come once, signed by a key of the set", async () => {
    await using hooks = await startHookReceiver()
    await using stub = await start({ runMs: 0 })
    const { body } = await submit(stub, undefined, `?fal_webhook=${hooks.url}/k`)
    await hooks.received(1)
    const [hook] = hooks.hooks as [ReceivedHook]
    const message = JSON.parse(hook.raw)
    assert.deepEqual([message.request_id, message.status], [body.request_id, "OK"])
    assert.equal(message.payload.images.length, 1)
    assert.equal(await verifyHook(stub, hook), true)
    assert.equal(await verifyHook(stub, { ...hook, raw: `${hook.raw} ` }), false)
  })

  it("are tried again until they are taken, and not after a redirect", async () => {
    const clock = createManualClock()
    await using hooks = await startHookReceiver()
    await using stub = await start({ clock, runMs: 0 })
    hooks.willAnswer(500, 500, 200, 302)
    await submit(stub, undefined, `?fal_webhook=${hooks.url}/k`)
    for (const count of [1, 2, 3]) {
      await hooks.received(count)
      await until(
        async () => stub.deliveries.length,
        (length) => length === count,
      )
      await clock.advance(5_000)
    }
    await submit(stub, undefined, `?fal_webhook=${hooks.url}/k`)
    await until(
      async () => stub.deliveries.length,
      (length) => length === 4,
    )
    assert.equal(clock.pendingWaits(), 0)
    assert.deepEqual(
      stub.deliveries.map(({ status }) => status),
      [500, 500, 200, 302],
    )
  })

  it("may be lost, doubled, early, forged, stale, foreign, without payload, or under a new key", async () => {
    await using hooks = await startHookReceiver()
    await using stub = await start({ runMs: 20 })
    const query = `?fal_webhook=${hooks.url}/k`

    stub.setFaults({ webhook: "lost", times: 1 })
    await submit(stub, undefined, query)
    stub.setFaults({ webhook: "doubled", times: 1 })
    await submit(stub, undefined, query)
    await hooks.received(2)
    assert.equal(hooks.hooks[0]?.raw, hooks.hooks[1]?.raw)

    stub.setFaults({ webhook: "early" })
    const { body: early } = await submit(stub, undefined, query)
    assert.equal(hooks.hooks.length, 3, "it came before the reply")
    assert.equal(JSON.parse(hooks.hooks[2]?.raw ?? "").request_id, early.request_id)

    stub.setFaults({ webhook: "forged" })
    await submit(stub, undefined, query)
    await hooks.received(4)
    const forged = hooks.hooks[3] as ReceivedHook
    assert.equal(JSON.parse(forged.raw).status, "ERROR")
    assert.equal(await verifyHook(stub, forged), false)

    stub.setFaults({ webhook: "stale" })
    await submit(stub, undefined, query)
    await hooks.received(5)
    const stale = hooks.hooks[4] as ReceivedHook
    assert.equal(await verifyHook(stub, stale), true)
    assert.ok(Number(stale.headers["x-fal-webhook-timestamp"]) < Date.now() / 1_000 - 3_000)

    stub.setFaults({ webhook: "foreign" })
    const { body: own } = await submit(stub, undefined, query)
    await hooks.received(6)
    const foreign = hooks.hooks[5] as ReceivedHook
    assert.equal(await verifyHook(stub, foreign), true)
    assert.notEqual(JSON.parse(foreign.raw).request_id, own.request_id)

    stub.setFaults({ own: ["payload-error"] })
    await submit(stub, undefined, query)
    await hooks.received(7)
    const bare = JSON.parse(hooks.hooks[6]?.raw ?? "")
    assert.deepEqual([bare.status, bare.payload], ["OK", null])
    assert.ok(bare.payload_error)

    const before = (await callJson(`${stub.url}/.well-known/jwks.json`)).body
    stub.setFaults({ own: ["rotated-key"], times: 1 })
    await submit(stub, undefined, query)
    await hooks.received(8)
    const after = (await callJson(`${stub.url}/.well-known/jwks.json`)).body
    assert.notDeepEqual(after, before)
    assert.equal(await verifyHook(stub, hooks.hooks[7] as ReceivedHook), true)
  })
})

describe("fal's own client", () => {
  function connect(stub: RunningStub) {
    return createFalClient({
      credentials: "test",
      requestMiddleware: async (request) => ({
        ...request,
        url: request.url.replace("https://", `${stub.url}/`),
      }),
    })
  }

  it("subscribes, and uploads a file as an input", async () => {
    await using stub = await start()
    const client = connect(stub)
    const states: string[] = []
    const { data, requestId } = await client.subscribe("xai/grok-imagine-image/v2.0/edit", {
      input: { prompt: "a fox", image_urls: [new Blob(["fox"], { type: "image/png" })] },
      pollInterval: 10,
      onQueueUpdate: ({ status }) => void states.push(status),
    })
    assert.equal(data.images.length, 1)
    assert.equal(states.at(-1), "COMPLETED")
    assert.deepEqual(
      stub.purchases.map(({ id }) => id),
      [requestId],
    )
    const [input] = stub.purchases.map(({ body }) => body as { readonly image_urls: string[] })
    const [url = ""] = input?.image_urls ?? []
    assert.equal(await (await fetch(url)).text(), "fox")
  })

  it("asks for an answer at once, without the queue", async () => {
    await using stub = await start({ runMs: 1 })
    const { data } = await connect(stub).run("fal-ai/flux/dev", { input: { prompt: "a fox" } })
    assert.equal(data.images.length, 1)
    assert.equal(stub.purchases.length, 1)
  })

  it("follows a request's status as a stream", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, queueMs: 5, runMs: 5 })
    const states: string[] = []
    const { data } = await connect(stub).subscribe("fal-ai/flux/dev", {
      input: { prompt: "a fox" },
      mode: "streaming",
      onQueueUpdate({ status }) {
        states.push(status)
        // Whatever it has been told of, it goes on from there.
        void clock.advance(5)
      },
    })
    assert.equal(data.images.length, 1)
    assert.deepEqual([...new Set(states)], ["IN_QUEUE", "IN_PROGRESS", "COMPLETED"])
  })

  it("tells a refusal for content, and cancels", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, runMs: 1_000, faults: { own: ["content-policy"] } })
    const client = connect(stub)
    const { request_id: requestId } = await client.queue.submit(IMAGE, { input: { prompt: "a" } })
    await clock.advance(1_000)
    await assert.rejects(client.queue.result(IMAGE, { requestId }), { status: 422 })
    const other = await client.queue.submit(IMAGE, { input: { prompt: "a" } })
    await client.queue.cancel(IMAGE, { requestId: other.request_id })
    await assert.rejects(client.queue.result(IMAGE, { requestId: other.request_id }), {
      status: 499,
    })
  })

  it("buys again by itself if the reply is lost, which is why no channel uses it", async () => {
    await using stub = await start({ faults: { create: "reset", times: 1 } })
    await connect(stub).queue.submit(IMAGE, { input: { prompt: "a fox" } })
    assert.equal(stub.purchases.length, 2)
  })
})
