/** The stub of Comfy Router, asked as the documentation says. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createManualClock } from "@safelight/testkit"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { callJson } from "./support/call-json.ts"

const headers = { "x-api-key": "comfyui-test" }
const FILM = "byteplus/dreamina-seedance-2-5-260628"
const BODY = { content: [{ type: "text", text: "a fox" }], duration: 4 }
const DAY_MS = 86_400_000

const start = (options?: StubOptions): Promise<RunningStub> => STUBS["comfy-router"]!(options)

function create(stub: RunningStub, key: string, body: unknown = BODY, suffix = "/requests") {
  const url = `${stub.url}/v2/models/${FILM}${suffix}`
  return callJson(url, { headers: { ...headers, "idempotency-key": key }, body })
}

describe("the stub of Comfy Router", () => {
  it("replays a key for 24 hours, and sells again after them", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock })
    const first = await create(stub, "k")
    assert.deepEqual([first.status, first.headers.get("idempotent-replayed")], [201, null])
    await clock.advance(DAY_MS - 1)
    const replay = await create(stub, "k")
    assert.equal(replay.headers.get("idempotent-replayed"), "true")
    assert.equal(replay.body.request_id, first.body.request_id)
    assert.equal(stub.purchases.length, 1)
    await clock.advance(1)
    assert.notEqual((await create(stub, "k")).body.request_id, first.body.request_id)
    assert.equal(stub.purchases.length, 2)
  })

  it("refuses a key for another request, and says if one is still being admitted", async () => {
    await using stub = await start({ faults: { own: ["still-admitting"], times: 1 } })
    const admitting = await create(stub, "k")
    assert.equal(admitting.status, 409)
    assert.equal(admitting.headers.get("x-comfy-error-type"), "concurrency_limit_exceeded")
    assert.equal(admitting.headers.get("retry-after"), "1")
    assert.equal((await create(stub, "k")).headers.get("idempotent-replayed"), "true")
    const other = await create(stub, "k", { ...BODY, duration: 5 })
    assert.deepEqual(
      [other.status, other.headers.get("x-comfy-error-type")],
      [409, "invalid_input"],
    )
    assert.equal(stub.purchases.length, 1)
  })

  it("frees the key of what it refused before dispatch", async () => {
    await using stub = await start()
    const seen: unknown[] = []
    for (const fault of ["not-enabled", "no-credits", "unknown-model", "invalid"]) {
      stub.setFaults({ own: [fault] })
      const { status, headers: told } = await create(stub, "k")
      seen.push([status, told.get("x-comfy-error-type")])
    }
    assert.deepEqual(seen, [
      [403, "not_enabled"],
      [402, "insufficient_credits"],
      [404, "model_not_found"],
      [422, "invalid_input"],
    ])
    stub.setFaults({})
    assert.equal((await create(stub, "k", { ...BODY, duration: 5 })).status, 201)
    assert.equal(stub.purchases.length, 1)
  })

  it("tells states, the result while it isn't finished, and when it is gone", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, queueMs: 1_000, runMs: 1_000 })
    const { body } = await create(stub, "k")
    const states: unknown[] = []
    for (const stepMs of [0, 1_000, 1_000]) {
      await clock.advance(stepMs)
      const state = await callJson(body.status_url, { headers })
      const result = await callJson(body.response_url, { headers })
      states.push([state.body.status, result.status])
    }
    assert.deepEqual(states, [
      ["IN_QUEUE", 202],
      ["IN_PROGRESS", 202],
      ["COMPLETED", 200],
    ])
    const result = await callJson(body.response_url, { headers })
    const { video_url: url } = result.body.content
    assert.equal((await fetch(url)).headers.get("content-type"), "video/mp4")
    await clock.advance(DAY_MS)
    assert.equal((await callJson(body.response_url, { headers })).status, 410)
  })

  it("tells failure and cancellation as completed, with a type", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, runMs: 1_000 })
    const types: unknown[] = []
    for (const fault of ["content-policy", "provider-error", "provider-timeout", "queue-timeout"]) {
      stub.setFaults({ own: [fault] })
      const { body } = await create(stub, fault)
      await clock.advance(1_000)
      const state = await callJson(body.status_url, { headers })
      const result = await callJson(body.response_url, { headers })
      assert.equal(result.headers.get("x-comfy-error-type"), state.body.error_type)
      types.push([state.body.status, state.body.error_type, result.status])
    }
    stub.setFaults({})
    const { body } = await create(stub, "cancelled")
    const cancel = () => callJson(body.cancel_url, { method: "PUT", headers })
    assert.equal((await cancel()).status, 202)
    assert.equal((await cancel()).body.status, "ALREADY_COMPLETED")
    const state = await callJson(body.status_url, { headers })
    types.push([state.body.status, state.body.error_type, 499])
    assert.deepEqual(types, [
      ["COMPLETED", "content_policy_violation", 422],
      ["COMPLETED", "provider_error", 502],
      ["COMPLETED", "provider_timeout", 504],
      ["COMPLETED", "queue_timeout", 504],
      ["COMPLETED", "cancelled", 499],
    ])
  })

  it("runs at once on its synchronous twin, under the same keys", async () => {
    await using stub = await start({ runMs: 1 })
    const one = await create(stub, "k", BODY, "")
    const two = await create(stub, "k", BODY, "")
    assert.equal(one.body.id, two.body.id)
    assert.equal(stub.purchases.length, 1)
  })
})
