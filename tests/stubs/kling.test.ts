/** The stub of Kling, asked as the documentation says. */
import assert from "node:assert/strict"
import { createHmac } from "node:crypto"
import { describe, it } from "node:test"
import { createManualClock } from "@safelight/testkit"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { until } from "../support/until.ts"
import { callJson } from "./support/call-json.ts"
import { startHookReceiver } from "./support/hook-receiver.ts"

const headers = { authorization: "Bearer test" }

const start = (options?: StubOptions): Promise<RunningStub> =>
  STUBS["kling"]!({ runMs: 0, ...options })

const buy = (stub: RunningStub, body: object, path = "/text-to-video/kling-3.0") =>
  callJson(`${stub.url}${path}`, { headers, body })

function sign(claims: object, header: object = { alg: "HS256", typ: "JWT" }): string {
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".")
  return `${signed}.${createHmac("sha256", "secret").update(signed).digest("base64url")}`
}

describe("the stub of Kling", () => {
  it("takes a task under a key of ours, once, and tells of it by either ID", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, queueMs: 500, runMs: 1_000 })
    const body = { prompt: "a fox", options: { external_task_id: "ours" } }
    const { id, status } = (await buy(stub, body)).body.data
    assert.equal(status, "submitted")
    const repeat = await buy(stub, body)
    assert.deepEqual([repeat.status, repeat.body.code], [400, 1_201])
    const ask = async (query: string) =>
      (await callJson(`${stub.url}/tasks?${query}`, { headers })).body
    await clock.advance(500)
    assert.equal((await ask(`task_ids=${id}`)).data[0].status, "processing")
    await clock.advance(1_000)
    const [task] = (await ask("external_task_ids=ours,theirs")).data
    assert.deepEqual([task.id, task.status, task.external_id], [id, "succeeded", "ours"])
    assert.equal((await fetch(task.outputs[0].url)).headers.get("content-type"), "video/mp4")
    assert.deepEqual((await ask("external_task_ids=theirs")).data, [])
    assert.equal((await ask(`task_ids=${id}&external_task_ids=ours`)).code, 1_200)
    assert.deepEqual(
      stub.purchases.map((each) => [each.id, each.key]),
      [[id, "ours"]],
    )
  })

  it("tells of a task of the older design below its path alone", async () => {
    await using stub = await start()
    const path = "/v1/images/generations"
    const body = { model_name: "kling-v2-1", prompt: "a fox", n: 2, external_task_id: "ours" }
    const { task_id: id } = (await buy(stub, body, path)).body.data
    for (const known of [id, "ours"]) {
      const { data } = (await callJson(`${stub.url}${path}/${known}`, { headers })).body
      assert.deepEqual([data.task_id, data.task_status], [id, "succeed"])
      assert.equal(data.task_result.images.length, 2)
    }
    const elsewhere = await callJson(`${stub.url}/v1/videos/text2video/${id}`, { headers })
    assert.deepEqual([elsewhere.status, elsewhere.body.code], [404, 1_203])
    const tasks = await callJson(`${stub.url}/tasks?task_ids=${id}`, { headers })
    assert.deepEqual(tasks.body.data, [])
  })

  it("takes a token within its times alone", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock })
    const seconds = Math.floor(clock.now() / 1_000)
    const claims = { iss: "access", nbf: seconds - 5, exp: seconds + 1_800 }
    const tokens: readonly (readonly [token: string, code: number])[] = [
      [sign(claims), 0],
      [sign({ ...claims, nbf: seconds + 60 }), 1_003],
      [sign({ ...claims, exp: seconds - 1 }), 1_004],
      [sign({ ...claims, iss: undefined }), 1_002],
      [sign(claims, { alg: "none" }), 1_002],
      ["a.b.c", 1_002],
    ]
    for (const [token, code] of tokens) {
      const asked = { headers: { authorization: `Bearer ${token}` } }
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { body, status } = await callJson(`${stub.url}/tasks?task_ids=1`, asked)
      assert.deepEqual([status, body.code], [code === 0 ? 200 : 401, code])
    }
  })

  it("sends a signed message at each state, and a last one until it is taken", async () => {
    await using receiver = await startHookReceiver()
    await using stub = await start({ webhookSecret: "whsec_c2VjcmV0IG9mIHRoZSBzdHVi" })
    await buy(stub, { prompt: "a fox", options: { callback_url: receiver.url } })
    await until(() => stub.deliveries.length > 0)
    const [delivery] = stub.deliveries
    assert.equal(JSON.parse(delivery?.body ?? "").status, "succeeded")
  })
})
