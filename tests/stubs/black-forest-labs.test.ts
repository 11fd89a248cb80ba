/** The stub of Black Forest Labs, asked as the documentation says. */
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { describe, it } from "node:test"
import { createManualClock } from "@safelight/testkit"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { callJson } from "./support/call-json.ts"
import { startHookReceiver } from "./support/hook-receiver.ts"

const headers = { "x-key": "test" }

const start = (options?: StubOptions): Promise<RunningStub> =>
  STUBS["black-forest-labs"]!({ runMs: 0, ...options })

function create(stub: RunningStub, fields: Readonly<Record<string, unknown>> = {}) {
  const body = { prompt: "a fox", width: 512, height: 768, ...fields }
  return callJson(`${stub.url}/v1/flux-2-pro`, { headers, body })
}

describe("the stub of Black Forest Labs", () => {
  it("is polled where it says, and nowhere else; the file lives ten minutes", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, runMs: 1_000 })
    const { body } = await create(stub)
    assert.equal(body.cost, 4)
    const get = async () => (await callJson(body.polling_url, { headers })).body
    assert.equal((await get()).status, "Pending")
    await clock.advance(1_000)
    const { status, result } = await get()
    assert.equal(status, "Ready")
    const elsewhere = await callJson(`${stub.url}/v1/get_result?id=${body.id}`, { headers })
    assert.equal(elsewhere.body.status, "Task not found")
    assert.equal((await fetch(result.sample)).headers.get("content-type"), "image/jpeg")
    await clock.advance(600_000)
    assert.equal((await fetch(result.sample)).status, 404)
    assert.equal(stub.purchases.length, 1)
  })

  it("may not find a task at first, and moderates", async () => {
    await using stub = await start({ faults: { own: ["not-found-first"], times: 1 } })
    const statuses: unknown[] = []
    const { body } = await create(stub)
    for (const _ of [1, 2])
      statuses.push((await callJson(body.polling_url, { headers })).body.status)
    for (const fault of ["request-moderated", "content-moderated", "error", "failed"]) {
      stub.setFaults({ own: [fault] })
      const { body: other } = await create(stub)
      statuses.push((await callJson(other.polling_url, { headers })).body.status)
    }
    assert.deepEqual(statuses, [
      "Task not found",
      "Ready",
      "Request Moderated",
      "Content Moderated",
      "Error",
      "Failed",
    ])
  })

  it("refuses without buying", async () => {
    await using stub = await start({ faults: { own: ["no-credits"] } })
    assert.equal((await create(stub)).status, 402)
    stub.setFaults({ create: "busy" })
    assert.deepEqual((await create(stub)).body, { error: "rate_limit_exceeded", retry_after: 1 })
    stub.setFaults({})
    assert.equal((await create(stub, { width: 513 })).status, 422)
    assert.equal((await callJson(`${stub.url}/v1/flux-2-pro`, { body: {} })).status, 403)
    assert.equal(stub.purchases.length, 0)
  })

  it("signs a webhook with the request's own secret", async () => {
    await using hooks = await startHookReceiver()
    await using stub = await start()
    const hook = { webhook_url: `${hooks.url}/k`, webhook_secret: "secret" }
    const { body } = await create(stub, hook)
    await hooks.received(1)
    stub.setFaults({ webhook: "forged" })
    await create(stub, hook)
    await hooks.received(2)
    const signed = hooks.hooks.map(({ headers: sent, raw }) => {
      const hex = createHmac("sha256", "secret").update(raw).digest("hex")
      return sent["x-bfl-signature"] === `sha256=${hex}`
    })
    assert.deepEqual(signed, [true, false])
    const [told, lie] = hooks.hooks.map(({ raw }) => JSON.parse(raw))
    assert.deepEqual([told.id, told.status, lie.status], [body.id, "Ready", "Error"])
  })
})
