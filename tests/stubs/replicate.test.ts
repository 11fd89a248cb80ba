/** The stub of Replicate, asked as its documentation says, and by its own client. */
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { describe, it } from "node:test"
import Replicate from "replicate"
import { createManualClock } from "@safelight/testkit"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { callJson } from "./support/call-json.ts"
import { startHookReceiver, type ReceivedHook } from "./support/hook-receiver.ts"

const headers = { authorization: "Bearer r8_test" }
const MODEL = "black-forest-labs/flux-schnell"
const INPUT = { prompt: "a fox" }
const HOUR_MS = 3_600_000

const start = (options?: StubOptions): Promise<RunningStub> => STUBS["replicate"]!(options)

function create(stub: RunningStub, fields: Readonly<Record<string, unknown>> = {}, more = {}) {
  const body = { version: MODEL, input: { prompt: "a fox" }, ...fields }
  return callJson(`${stub.url}/v1/predictions`, { headers: { ...headers, ...more }, body })
}

describe("the stub of Replicate", () => {
  it("takes a prediction through its states, and removes its data after an hour", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, queueMs: 1_000, runMs: 1_000 })
    const { status, body } = await create(stub, { input: { prompt: "a fox", num_outputs: 2 } })
    assert.deepEqual([status, body.status], [202, "starting"])
    const get = async () => (await callJson(body.urls.get, { headers })).body
    await clock.advance(1_000)
    assert.equal((await get()).status, "processing")
    await clock.advance(1_000)
    const done = await get()
    assert.deepEqual([done.status, done.output.length], ["succeeded", 2])
    assert.equal((await fetch(done.output[1])).headers.get("content-type"), "image/webp")
    await clock.advance(HOUR_MS)
    const removed = await get()
    assert.deepEqual(
      [removed.status, removed.output, removed.data_removed],
      ["succeeded", null, true],
    )
    assert.equal((await fetch(done.output[1])).status, 404)
    assert.deepEqual(
      stub.purchases.map(({ id, endpoint }) => [id, endpoint]),
      [[body.id, MODEL]],
    )
  })

  it("is found in the list by its webhook, newest first, in pages", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, faults: { webhook: "lost" } })
    for (let at = 0; at < 101; at += 1) await create(stub, { webhook: `http://localhost/${at}` })
    const page = await callJson(`${stub.url}/v1/predictions`, { headers })
    assert.equal(page.body.results.length, 100)
    assert.equal(page.body.results[0].webhook, "http://localhost/100")
    const rest = await callJson(page.body.next, { headers })
    assert.deepEqual(
      [rest.body.results.map((each: { webhook: string }) => each.webhook), rest.body.next],
      [["http://localhost/0"], null],
    )
    const after = new Date(clock.now() + 1).toISOString()
    const none = await callJson(`${stub.url}/v1/predictions?created_after=${after}`, { headers })
    assert.equal(none.body.results.length, 0)
  })

  it("fails, cancels and aborts as Replicate does", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, queueMs: 1_000, runMs: 10_000 })
    const get = async (url: string) => (await callJson(url, { headers })).body
    stub.setFaults({ own: ["sensitive"], times: 1 })
    const { body: sensitive } = await create(stub)
    const { body: late } = await create(stub, {}, { "cancel-after": "5s" })
    const { body: never } = await create(stub, {}, { "cancel-after": "0s" })
    const { body: stopped } = await create(stub)
    const cancelled = await callJson(stopped.urls.cancel, { method: "POST", headers })
    assert.equal(cancelled.body.status, "aborted")
    await clock.advance(11_000)
    const failed = await get(sensitive.urls.get)
    assert.equal(failed.status, "failed")
    assert.match(failed.error, /E005/)
    assert.equal((await get(late.urls.get)).status, "canceled")
    assert.equal((await get(never.urls.get)).status, "aborted")
    assert.equal((await get(`${stub.url}/v1/predictions/none`)).status, 404)
  })

  it("refuses without buying", async () => {
    await using stub = await start({ faults: { own: ["no-credits"] } })
    assert.equal((await create(stub)).status, 402)
    assert.equal((await create(stub, { input: "a fox" })).status, 422)
    assert.equal((await create(stub, {}, { authorization: "Bearer invalid" })).status, 401)
    stub.setFaults({ create: "busy" })
    assert.match((await create(stub)).body.detail, /throttled/)
    assert.equal(stub.purchases.length, 0)
  })

  it("sends webhooks signed by the account's secret, in order or not", async () => {
    await using hooks = await startHookReceiver()
    await using stub = await start({ queueMs: 20, runMs: 20 })
    const { key } = (await callJson(`${stub.url}/v1/webhooks/default/secret`, { headers })).body
    const { body } = await create(stub, { webhook: `${hooks.url}/k` })
    await hooks.received(2)
    const told = hooks.hooks.map(({ raw }) => JSON.parse(raw))
    assert.deepEqual(
      told.map(({ id, status }) => [id, status]),
      [
        [body.id, "processing"],
        [body.id, "succeeded"],
      ],
    )
    assert.ok(hooks.hooks.every((hook) => isSigned(hook, key)))
    stub.setFaults({ webhook: "forged" })
    await create(stub, { webhook: `${hooks.url}/k`, webhook_events_filter: ["completed"] })
    await hooks.received(3)
    assert.equal(isSigned(hooks.hooks[2] as ReceivedHook, key), false)
    stub.setFaults({ webhook: "reordered" })
    await create(stub, { webhook: `${hooks.url}/k` })
    await hooks.received(5)
    const states = hooks.hooks.slice(3).map(({ raw }) => JSON.parse(raw).status)
    assert.deepEqual(states, ["succeeded", "processing"])
  })
})

function isSigned({ headers: sent, raw }: ReceivedHook, secret: string): boolean {
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  const text = `${String(sent["webhook-id"])}.${String(sent["webhook-timestamp"])}.${raw}`
  return (
    sent["webhook-signature"] === `v1,${createHmac("sha256", key).update(text).digest("base64")}`
  )
}

describe("Replicate's own client", () => {
  const connect = (stub: RunningStub) =>
    new Replicate({ auth: "r8_test", baseUrl: `${stub.url}/v1`, useFileOutput: false })

  it("runs a model, with an uploaded file", async () => {
    await using stub = await start()
    const input = { prompt: "a fox", image: new Blob(["fox"], { type: "image/png" }) }
    const output: unknown = await connect(stub).run("xai/grok-imagine-image-2", {
      input,
      wait: { mode: "poll", interval: 10 },
    })
    assert.ok(typeof output === "string")
    assert.equal((await fetch(output)).status, 200)
    const [purchase] = stub.purchases.map(({ body }) => body as { input: { image: string } })
    assert.equal(await (await fetch(purchase?.input.image ?? "")).text(), "fox")
  })

  it("waits, lists and cancels", async () => {
    await using stub = await start({ runMs: 10 })
    const client = connect(stub)
    const done = await client.predictions.create({ model: MODEL, input: INPUT, wait: 5 })
    assert.equal(done.status, "succeeded")
    const { results } = await client.predictions.list()
    assert.deepEqual(
      results.map(({ id }) => id),
      [done.id],
    )
    assert.equal((await client.predictions.cancel(done.id)).status, "succeeded")
  })

  it("buys again by itself if the reply is lost, which is why no channel uses it", async () => {
    await using stub = await start({ faults: { create: "reset", times: 1 } })
    await connect(stub).predictions.create({ model: MODEL, input: INPUT })
    assert.equal(stub.purchases.length, 2)
  })
})
