/** The stub of Higgsfield, asked as the documentation says. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createHiggsfieldClient } from "@higgsfield/client/v2"
import { createManualClock } from "@safelight/testkit"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { callJson } from "./support/call-json.ts"
import { startHookReceiver } from "./support/hook-receiver.ts"

const headers = { authorization: "Key id:secret" }
const PATH = "bytedance/seedance-2.5/reference-to-video"
const BODY = { prompt: "a fox", image_urls: ["https://a/1.png"], duration: 4 }
const DAY_MS = 86_400_000

const start = (options?: StubOptions): Promise<RunningStub> => STUBS["higgsfield"]!(options)

function create(stub: RunningStub, key: string | null, body: unknown = BODY, query = "") {
  const keyed = key === null ? headers : { ...headers, "idempotency-key": key }
  return callJson(`${stub.url}/${PATH}${query}`, { headers: keyed, body })
}

describe("the stub of Higgsfield", () => {
  it("answers a repeated key with the original in every state, for a day", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, queueMs: 1_000, runMs: 1_000 })
    const states: unknown[] = []
    const ids = new Set<unknown>()
    for (const stepMs of [0, 1_000, 1_000, DAY_MS - 2_001]) {
      await clock.advance(stepMs)
      const { body } = await create(stub, "k")
      states.push(body.status)
      ids.add(body.request_id)
    }
    assert.deepEqual(states, ["queued", "in_progress", "completed", "completed"])
    assert.deepEqual([ids.size, stub.purchases.length, stub.purchases[0]?.key], [1, 1, "k"])
    await clock.advance(1)
    const { body } = await create(stub, "k")
    assert.deepEqual([ids.has(body.request_id), stub.purchases.length], [false, 2])
  })

  it("knows a body in another order, and refuses another body", async () => {
    await using stub = await start()
    await create(stub, "k")
    const { prompt, ...rest } = BODY
    assert.equal((await create(stub, "k", { ...rest, prompt })).status, 200)
    assert.equal((await create(stub, "k", { ...BODY, duration: 5 })).status, 422)
    assert.equal((await create(stub, "k", BODY, "?hf_webhook=http://localhost/")).status, 422)
    assert.equal((await create(stub, "k k")).status, 400)
    assert.equal(stub.purchases.length, 1)
    await create(stub, null)
    await create(stub, null)
    assert.equal(stub.purchases.length, 3)
    stub.setFaults({ own: ["forgets-keys"] })
    await create(stub, "k")
    assert.equal(stub.purchases.length, 4)
  })

  it("refuses before acceptance, and leaves the key free", async () => {
    await using stub = await start()
    const seen: unknown[] = []
    for (const body of [
      {},
      { ...BODY, seed: 1 },
      { prompt: "a fox" },
      { ...BODY, resolution: "1080p" },
    ]) {
      seen.push((await create(stub, "k", body)).status)
    }
    const many = { ...BODY, video_urls: Array.from({ length: 11 }, () => "https://a/1.mp4") }
    seen.push((await create(stub, "k", many)).status)
    assert.deepEqual(seen, [422, 422, 422, 422, 422])
    for (const [fault, status] of [
      ["no-credits", 403],
      ["blocked", 423],
    ] as const) {
      stub.setFaults({ own: [fault] })
      assert.equal((await create(stub, "k")).status, status)
    }
    stub.setFaults({ create: "busy" })
    const busy = await create(stub, "k")
    assert.deepEqual([busy.status, busy.headers.get("retry-after")], [400, null])
    assert.match(busy.body.detail, /concurrent/)
    stub.setFaults({})
    assert.equal((await create(stub, "k")).status, 200)
    assert.equal(stub.purchases.length, 1)
  })

  it("gives a film, or fails, and cancels only what waits", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, queueMs: 1_000, runMs: 1_000 })
    const { body } = await create(stub, "a")
    stub.setFaults({ own: ["nsfw"] })
    const { body: refused } = await create(stub, "b")
    const { body: cancelled } = await create(stub, "c")
    const cancel = (url: string) => callJson(url, { method: "POST", headers })
    const get = async (url: string) => (await callJson(url, { headers })).body
    assert.equal((await cancel(cancelled.cancel_url)).status, 202)
    await clock.advance(1_000)
    assert.equal((await cancel(body.cancel_url)).status, 400)
    await clock.advance(1_000)
    const done = await get(body.status_url)
    assert.equal((await fetch(done.video.url)).headers.get("content-type"), "video/mp4")
    assert.equal((await get(refused.status_url)).status, "nsfw")
    assert.equal((await get(cancelled.status_url)).status, "canceled")
  })

  it("takes uploads, and calls back unsigned", async () => {
    await using hooks = await startHookReceiver()
    await using stub = await start({ runMs: 0 })
    const { body: upload } = await callJson(`${stub.url}/files/generate-upload-url`, {
      headers,
      body: { content_type: "image/png" },
    })
    const put = { method: "PUT", headers: upload.upload_headers, body: "fox" }
    assert.equal((await fetch(upload.upload_url, put)).status, 200)
    assert.equal(await (await fetch(upload.public_url)).text(), "fox")
    const { body } = await create(stub, "k", BODY, `?hf_webhook=${hooks.url}/k`)
    await hooks.received(1)
    const told = JSON.parse(hooks.hooks[0]?.raw ?? "")
    assert.deepEqual([told.request_id, told.status], [body.request_id, "completed"])
  })

  it("wants an ID and a secret", async () => {
    await using stub = await start()
    const body = BODY
    for (const authorization of ["Key id", "Bearer id:secret", "Key invalid"]) {
      const answer = await callJson(`${stub.url}/${PATH}`, { headers: { authorization }, body })
      assert.equal(answer.status, 401)
    }
  })
})

describe("Higgsfield's own client", () => {
  const connect = (stub: RunningStub) =>
    createHiggsfieldClient({ credentials: "id:secret", baseURL: stub.url, pollInterval: 1 })
  const endpoint = "bytedance/seedance-2.5/reference-to-video"
  const input = { prompt: "a fox", image_urls: ["https://a.example/1.png"], duration: 4 }

  it("makes a film", async () => {
    await using stub = await STUBS["higgsfield"]!({ runMs: 1 })
    const answer = await connect(stub).subscribe(endpoint, { input })
    assert.equal(answer.status, "completed")
    assert.equal((await fetch(answer.video?.url ?? "")).headers.get("content-type"), "video/mp4")
    assert.equal(stub.purchases.length, 1)
  })

  it("is refused a member that there is not", async () => {
    await using stub = await STUBS["higgsfield"]!({ runMs: 1 })
    await assert.rejects(
      connect(stub).subscribe(endpoint, { input: { ...input, fps: 24 } }),
      /fps|[Vv]alidation/,
    )
    assert.equal(stub.purchases.length, 0)
  })
})
