/** The stub of Runware, asked as the documentation says. */
import assert from "node:assert/strict"
import { randomUUID } from "node:crypto"
import { describe, it } from "node:test"
import { createManualClock } from "@safelight/testkit"
import { STUBS, type RunningStub, type StubOptions } from "@safelight/testkit/stubs"
import { callJson } from "./support/call-json.ts"
import { until } from "../support/until.ts"
import { startHookReceiver } from "./support/hook-receiver.ts"

const headers = { authorization: "Bearer test" }

const start = (options?: StubOptions): Promise<RunningStub> =>
  STUBS["runware"]!({ runMs: 0, ...options })

const call = (stub: RunningStub, ...tasks: readonly unknown[]) =>
  callJson(`${stub.url}/v1`, { headers, body: tasks })

const toTask = (taskUUID: string, fields: Readonly<Record<string, unknown>> = {}) => ({
  taskType: "imageInference",
  taskUUID,
  model: "bfl:5@1",
  positivePrompt: "a fox",
  deliveryMethod: "async",
  includeCost: true,
  ...fields,
})

describe("the stub of Runware", () => {
  it("takes a task under our UUID, once, and tells of it", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, runMs: 1_000 })
    const id = randomUUID()
    const accepted = await call(stub, toTask(id, { numberResults: 2 }))
    assert.deepEqual(accepted.body.data, [{ taskType: "imageInference", taskUUID: id }])
    const repeat = await call(stub, toTask(id))
    assert.deepEqual([repeat.status, repeat.body.errors[0].code], [400, "conflictTaskUUID"])
    const ask = async (taskType: string) => (await call(stub, { taskType, taskUUID: id })).body.data
    assert.equal((await ask("getResponse"))[0].status, "processing")
    await clock.advance(1_000)
    const [done] = await ask("getResponse")
    assert.deepEqual([done.status, done.cost], ["success", 0.0019])
    assert.equal((await fetch(done.imageURL)).headers.get("content-type"), "image/jpeg")
    const [details] = await ask("getTaskDetails")
    assert.deepEqual([details.request.positivePrompt, details.response.length], ["a fox", 2])
    assert.deepEqual(
      stub.purchases.map((each) => [each.id, each.key]),
      [[id, id]],
    )
  })

  it("knows nothing of a young task while a repeat of it is a conflict, if it lags", async () => {
    const clock = createManualClock()
    await using stub = await start({ clock, faults: { own: ["lags"] } })
    const id = randomUUID()
    await call(stub, toTask(id))
    const ask = () => call(stub, { taskType: "getTaskDetails", taskUUID: id })
    assert.equal((await ask()).body.errors[0].code, "unknownTaskUUID")
    assert.equal((await call(stub, toTask(id))).body.errors[0].code, "conflictTaskUUID")
    await clock.advance(5_000)
    assert.equal((await ask()).body.data[0].taskUUID, id)
  })

  it("makes films, and answers at once if asked to", async () => {
    await using stub = await start()
    const film = { taskType: "videoInference", deliveryMethod: "sync", duration: 4 }
    const { body } = await call(stub, toTask(randomUUID(), film))
    assert.equal((await fetch(body.data[0].videoURL)).headers.get("content-type"), "video/mp4")
  })

  it("fails, and refuses without buying", async () => {
    await using stub = await start({ faults: { own: ["content"] } })
    const id = randomUUID()
    await call(stub, toTask(id))
    const { body } = await call(stub, { taskType: "getResponse", taskUUID: id })
    assert.equal(body.errors[0].status, "error")
    stub.setFaults({ own: ["no-credits"] })
    assert.equal((await call(stub, toTask(randomUUID()))).status, 400)
    assert.equal((await call(stub, toTask("1"))).body.errors[0].code, "invalidTaskUUID")
    assert.equal((await callJson(`${stub.url}/v1`, { headers, body: {} })).status, 400)
    assert.equal((await callJson(`${stub.url}/v1`, { body: [] })).status, 401)
    assert.equal(stub.purchases.length, 1)
  })

  it("has faults of asking apart from those of buying", async () => {
    await using stub = await start({ faults: { poll: "server-error" } })
    const id = randomUUID()
    assert.equal((await call(stub, toTask(id))).status, 200)
    assert.equal((await call(stub, { taskType: "getResponse", taskUUID: id })).status, 500)
  })

  it("calls back unsigned", async () => {
    await using hooks = await startHookReceiver()
    await using stub = await start()
    const id = randomUUID()
    await call(stub, toTask(id, { webhookURL: `${hooks.url}/k` }))
    await hooks.received(1)
    assert.equal(JSON.parse(hooks.hooks[0]?.raw ?? "").data[0].taskUUID, id)
  })
})

describe("the socket of Runware's stub", () => {
  async function connect(stub: RunningStub) {
    const url = `${stub.url.replace("http", "ws")}/ws-api.runware.ai/v1`
    const socket = new WebSocket(url)
    const messages: unknown[] = []
    socket.addEventListener("message", ({ data }) => messages.push(JSON.parse(String(data))))
    await new Promise((resolve) => socket.addEventListener("open", resolve))
    return {
      send: (...tasks: readonly unknown[]) => socket.send(JSON.stringify(tasks)),
      /** The next message. */
      async next(): Promise<{ data?: readonly Told[]; errors?: readonly Told[] }> {
        await until(
          async () => messages.length,
          (count) => count > 0,
        )
        return messages.shift() as { data?: readonly Told[]; errors?: readonly Told[] }
      },
      [Symbol.dispose]: () => socket.close(),
    }
  }
  type Told = Readonly<Record<string, unknown>>
  const login = { taskType: "authentication", apiKey: "test" }

  it("accepts a task once it knows who calls, and tells its end unasked", async () => {
    await using stub = await start({ runMs: 5 })
    using socket = await connect(stub)
    const id = randomUUID()
    socket.send(toTask(id))
    assert.equal((await socket.next()).errors?.[0]?.["code"], "missingApiKey")
    assert.equal(stub.purchases.length, 0)
    socket.send(login)
    assert.equal((await socket.next()).data?.[0]?.["taskType"], "authentication")
    socket.send({ taskType: "ping", ping: true })
    assert.deepEqual((await socket.next()).data, [{ taskType: "ping", pong: true }])
    socket.send(toTask(id))
    assert.deepEqual((await socket.next()).data, [{ taskType: "imageInference", taskUUID: id }])
    const [done] = (await socket.next()).data ?? []
    assert.equal(done?.["taskUUID"], id)
    assert.equal((await fetch(String(done?.["imageURL"]))).status, 200)
    assert.equal(stub.purchases.length, 1)
  })

  it("turns away whoever has no key, and tells of a task's failure", async () => {
    await using stub = await start({ runMs: 1, faults: { own: ["content"] } })
    using socket = await connect(stub)
    socket.send({ ...login, apiKey: "invalid" })
    assert.equal((await socket.next()).errors?.[0]?.["code"], "invalidApiKey")
    socket.send(login)
    await socket.next()
    socket.send(toTask(randomUUID()))
    await socket.next()
    assert.equal((await socket.next()).errors?.[0]?.["code"], "contentModeration")
  })
})
