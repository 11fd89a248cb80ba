/** The door before a real service, whose answers to purchases are lost on their way: an agent finds what it bought. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { createMcpHandler } from "@safelight/mcp"
import { IMAGE, openAgentWorld } from "./agent-world.ts"

const CALL = { model: IMAGE, parameters: { prompt: "a lighthouse", size: "square" } }

const HEADERS = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
}

describe("a purchase whose outcome is unknown", () => {
  interface Result {
    readonly isError?: boolean
    // oxlint-disable-next-line typescript/no-explicit-any -- the shape is what tests are about
    readonly structuredContent: any
  }

  async function openLosingDoor(t: TestContext, { isSent }: { readonly isSent: boolean }) {
    const world = await openAgentWorld()
    t.after(() => world[Symbol.asyncDispose]())
    const lost = { code: "outcome_unknown", type: "api_error", message: "Nobody knows." }
    // Longer than the door waits before it repeats a request.
    const headers = { "retry-after": "60" }
    const mcp = createMcpHandler({
      version: "1",
      onError: (error) => assert.fail(error as Error),
      async fetch(url, init) {
        const { pathname, search } = new URL(url)
        const forward = () => fetch(`${world.service.url}${pathname}${search}`, init)
        if (`${init.method} ${pathname}` !== "POST /v1/tasks") return forward()
        if (isSent) await (await forward()).body?.cancel()
        return Response.json({ error: lost }, { status: 503, headers })
      },
    })
    async function call(name: string, given: object): Promise<Result> {
      const publicUrl = "http://host"
      const own = { ...HEADERS, authorization: `Bearer ${world.key}` }
      const request = new Request(`${publicUrl}/mcp`, { method: "POST", headers: own, body: "{}" })
      const message = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name, arguments: structuredClone(given) },
      }
      const left = new AbortController().signal
      const asked = { account: "ada", message, request, publicUrl, left, onOver: () => {} }
      const text = await (await mcp.answer(asked)).text()
      return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? assert.fail(text)).result as Result
    }
    return { call, world }
  }

  it("is found by the key that its error has, and by no other", async (t) => {
    const { call, world } = await openLosingDoor(t, { isSent: true })
    const other = await call("generate_image", CALL)
    const { isError, structuredContent: unknown } = await call("generate_image", CALL)
    assert.deepEqual([isError, unknown.error.code], [true, "outcome_unknown"])
    const { idempotency_key: key } = unknown
    assert.notEqual(key, other.structuredContent.idempotency_key)
    const [newest, older] = (await world.api.listPage({ limit: 2 })).tasks
    const waited = { idempotency_key: key, wait_seconds: 600 }
    const { structuredContent: found } = await call("get_task", waited)
    assert.deepEqual([found.task_id, found.status], [newest?.task_id, "succeeded"])
    assert.notEqual(found.task_id, older?.task_id)
  })

  it("is told to be none, so far, where none was bought", async (t) => {
    const { call } = await openLosingDoor(t, { isSent: false })
    const { structuredContent: unknown } = await call("generate_image", CALL)
    const given = { idempotency_key: unknown.idempotency_key }
    const { isError, structuredContent: told } = await call("get_task", given)
    assert.deepEqual([isError, told.error.code], [true, "task_not_found"])
    assert.match(told.error.message, /so far/)
  })

  it("is not looked for by what is no key of a call", async (t) => {
    const { call } = await openLosingDoor(t, { isSent: true })
    const ID = "01a21975-0558-7000-8422-7f03c11543a5"
    for (const given of [
      { idempotency_key: "openai-1" },
      { idempotency_key: `mcp-${"0".repeat(64)}`, task_id: ID },
    ]) {
      const { structuredContent: told } = await call("get_task", given)
      assert.deepEqual([told.error.code, told.error.param], ["invalid_value", "idempotency_key"])
    }
    const { structuredContent: told } = await call("get_task", {})
    assert.deepEqual([told.error.code, told.error.param], ["missing_required_parameter", "task_id"])
  })
})
