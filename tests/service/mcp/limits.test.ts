/** What an agent may not do: more than its key, its session's limit or its account; and what a repeated call buys. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import { setTimeout } from "node:timers/promises"
import { findFreePort } from "../../support/free-port.ts"
import { until } from "../../support/until.ts"
import { DOORS, IMAGE, LONG, openAgent, openAgentWorld, type AgentWorld } from "./agent-world.ts"

const CALL = { model: IMAGE, parameters: { prompt: "a lighthouse", size: "square" } }

const listTasks = async ({ api }: AgentWorld) => (await api.listPage({ limit: 100 })).tasks

describe("an agent", () => {
  let world: AgentWorld
  before(async () => {
    world = await openAgentWorld()
  })
  after(() => world[Symbol.asyncDispose]())
  const toService = () => ({ url: world.service.url, key: world.key })
  const countTasks = async () => (await listTasks(world)).length

  it("can't pass its session's limit by calls at the same time, and is charged no more", async (t) => {
    const words = ["--max-cost-micros", "25000"]
    const { call, stderr } = await openAgent(t, "stdio", toService(), { words })
    const earlier = await countTasks()
    const all = await Promise.all(Array.from({ length: 8 }, () => call("generate_image", CALL)))
    const refused = all.filter(({ isError }) => isError)
    assert.deepEqual([all.length - refused.length, await countTasks()], [2, earlier + 2])
    for (const { data } of refused) {
      assert.equal(data.error.code, "max_cost_exceeded")
      assert.match(data.error.message, /5000 of the session's 25000 are left/)
    }
    const { data } = await call("quote", CALL)
    assert.equal(data.session_left_micros, 5_000)
    assert.equal(stderr(), "")
  })

  it("gets back what a task of its session was not charged", async (t) => {
    const words = ["--max-cost-micros", "10000"]
    const { call } = await openAgent(t, "stdio", toService(), { words })
    const parameters = { prompt: "[studio: fail no_output] fog" }
    const wrong = await call("generate_image", { model: IMAGE, parameters: { prompt: 1 } })
    assert.equal(wrong.data.error.param, "parameters.prompt")
    const failed = await call("generate_image", { model: IMAGE, parameters })
    assert.equal(failed.data.error.code, "no_output")
    const left = await call("generate_image", { model: IMAGE, parameters: LONG, wait_seconds: 0 })
    assert.ok(!left.isError)
    const refused = await call("generate_image", CALL)
    assert.equal(refused.data.error.code, "max_cost_exceeded")
    const { task_id } = left.data
    await until(
      () => call("cancel_task", { task_id }),
      ({ data }) => data.charge_micros === 0,
    )
    assert.ok(!(await call("generate_image", CALL)).isError)
  })

  it("says over http what one task may cost", async (t) => {
    const headers = { "safelight-max-cost-micros": "9999" }
    const { call } = await openAgent(t, "http", toService(), { headers })
    const { data, isError } = await call("generate_image", CALL)
    assert.deepEqual([isError, data.error.code], [true, "max_cost_exceeded"])
  })

  it("may spend no more than its account's budget", async (t) => {
    await using poor = await openAgentWorld()
    const { storage, url } = poor.service
    await storage.setAccount({ id: "ada", now: Date.now(), settings: { budgetMicros: 9_999 } })
    for (const door of DOORS) {
      const { call } = await openAgent(t, door, { url, key: poor.key })
      const { data, isError } = await call("generate_image", CALL)
      assert.deepEqual([isError, data.error.code], [true, "insufficient_balance"])
    }
  })

  for (const door of DOORS) {
    it(`buys nothing over ${door} by a key that only reads`, async (t) => {
      const { key } = await world.createKey(["tasks:read", "artifacts:read"])
      const { call, client } = await openAgent(t, door, toService(), { key })
      assert.ok((await client.listTools()).tools.length > 0)
      const earlier = await countTasks()
      for (const name of ["generate_image", "quote"]) {
        const { data, isError } = await call(name, CALL)
        assert.deepEqual([isError, data.error.code], [true, "insufficient_scope"])
      }
      assert.equal(await countTasks(), earlier)
    })

    it(`has links for its key alone over ${door} where that may make no private ones`, async (t) => {
      const { key } = await world.createKey(["tasks:read", "tasks:write"])
      const { call } = await openAgent(t, door, toService(), { key })
      const made = await call("generate_image", CALL)
      // What was bought is no error, though the key may not see it.
      assert.ok(!made.isError)
      assert.deepEqual(
        [made.data.artifacts, made.data.artifacts_error.code],
        [null, "insufficient_scope"],
      )
      const more = await world.createKey(["tasks:read", "artifacts:read"])
      const reader = await openAgent(t, door, toService(), { key: more.key })
      const { data } = await reader.call("get_task", { task_id: made.data.task_id })
      const path = `/v1/tasks/${made.data.task_id}/artifacts/image_1/content`
      assert.equal(data.artifacts[0].url, `${world.service.publicUrl}${path}`)
    })

    it(`is shut out over ${door} within a second once its key is revoked`, async (t) => {
      const { id, key } = await world.createKey()
      const { call, client } = await openAgent(t, door, toService(), { key })
      assert.ok(!(await call("list_models", {})).isError)
      await world.service.storage.revokeKey({ id, revokedAt: Date.now() })
      const code = async (): Promise<string> =>
        call("list_models", {}).then(
          ({ data }) => data.error?.code ?? "none",
          (error: Error) => /api_key_revoked/.exec(error.message)?.[0] ?? error.message,
        )
      await until(code, (answer) => answer !== "none")
      assert.equal(await code(), "api_key_revoked")
      await assert.rejects(client.listTools(), /api_key_revoked/)
    })
  }

  it("is told that the service is down", async (t) => {
    const port = await findFreePort()
    const own = { url: `http://127.0.0.1:${port}`, key: world.key }
    const { call, client } = await openAgent(t, "stdio", own)
    const listing = assert.rejects(client.listTools(), /can't be reached .*no_answer/)
    const { data, isError } = await call("list_models", {})
    assert.deepEqual([isError, data.error.code], [true, "no_answer"])
    await listing
  })
})

/** A client of its own, to say what the official one never would. */
describe("a call that is repeated", () => {
  let world: AgentWorld
  before(async () => {
    world = await openAgentWorld()
  })
  after(() => world[Symbol.asyncDispose]())

  const HEADERS = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
  }

  function send(message: object, more: Record<string, string> = {}, signal?: AbortSignal) {
    const headers = { ...HEADERS, authorization: `Bearer ${world.key}`, ...more }
    const body = JSON.stringify({ jsonrpc: "2.0", ...message })
    return fetch(`${world.service.url}/mcp`, {
      method: "POST",
      headers,
      body,
      ...(signal && { signal }),
    })
  }

  async function begin(): Promise<Record<string, string>> {
    const clientInfo = { name: "raw", version: "1" }
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }
    const response = await send({ id: 0, method: "initialize", params })
    await response.text()
    return { "mcp-session-id": response.headers.get("mcp-session-id") ?? assert.fail() }
  }

  const toCall = (id: string | number, given: object = CALL) => ({
    id,
    method: "tools/call",
    params: { name: "generate_image", arguments: given },
  })

  async function readTask(response: Response): Promise<string> {
    const text = await response.text()
    const message = /^data: (.*)$/m.exec(text)?.[1] ?? assert.fail(text)
    const { result } = JSON.parse(message) as {
      result: { structuredContent: { task_id?: string; error?: { code: string } } }
    }
    const { error, task_id: id } = result.structuredContent
    return id ?? error?.code ?? assert.fail(text)
  }

  it("is the same purchase in its session, also at the same time", async () => {
    const session = await begin()
    const sent = await Promise.all([1, 2, 3].map(() => send(toCall(7), session)))
    const tasks = await Promise.all(sent.map(readTask))
    assert.equal(new Set(tasks).size, 1)
    assert.equal(await readTask(await send(toCall(7), session)), tasks[0])
    const other = { ...CALL, parameters: { prompt: "another" } }
    assert.equal(await readTask(await send(toCall(7, other), session)), "idempotency_key_reused")
    assert.notEqual(await readTask(await send(toCall("7"), session)), tasks[0])
    assert.notEqual(await readTask(await send(toCall(7), await begin())), tasks[0])
  })

  it("is a purchase of its own where it has no session", async () => {
    const [one, two] = await Promise.all([1, 2].map(async () => readTask(await send(toCall(7)))))
    assert.notEqual(one, two)
  })

  it("goes on when its caller leaves, and is found again by its id", async () => {
    const session = await begin()
    const leave = new AbortController()
    const given = { model: IMAGE, parameters: { prompt: "[studio: delay 1s] fog" } }
    const known = new Set((await listTasks(world)).map(({ task_id: id }) => id))
    const leaving = send(toCall(1, given), session, leave.signal)
    const isNew = async () => (await listTasks(world)).find(({ task_id: id }) => !known.has(id))
    const task = await until(isNew)
    leave.abort()
    await assert.rejects(leaving.then((response) => response.text()))
    assert.equal(await readTask(await send(toCall(1, given), session)), task?.task_id)
    assert.equal((await world.api.get(task?.task_id ?? "")).status, "succeeded")
  })

  it("can't be cancelled from another account or session", async () => {
    const session = await begin()
    const answering = send(toCall(1, { model: IMAGE, parameters: LONG }), session)
    const task = await until(async () =>
      (await listTasks(world)).find(({ status }) => status === "running"),
    )
    const cancelled = { method: "notifications/cancelled", params: { requestId: 1 } }
    const taken = await send(cancelled, await begin())
    assert.equal(taken.status, 202)
    await setTimeout(50)
    assert.equal((await world.api.get(task?.task_id ?? "")).status, "running")
    assert.equal((await send(cancelled, session)).status, 202)
    // Its answer ends without a result.
    assert.doesNotMatch(await (await answering).text(), /"result"/)
    const ended = await world.api.wait(task?.task_id ?? "")
    assert.equal(ended.error?.code, "task_cancelled")
  })

  it("is answered with the task as it is when the service stops", async () => {
    await using own = await openAgentWorld()
    const headers = { ...HEADERS, authorization: `Bearer ${own.key}` }
    const body = JSON.stringify({
      jsonrpc: "2.0",
      ...toCall(1, { model: IMAGE, parameters: LONG, wait_seconds: 600 }),
    })
    const answering = fetch(`${own.service.url}/mcp`, { method: "POST", headers, body })
    await until(async () => (await listTasks(own)).length === 1)
    const response = await answering
    const stopped = own.service.stop()
    assert.match(await readTask(response), /^[0-9a-f-]{36}$/)
    await stopped
  })
})
