/** The door in a host of web-standard requests: a reader who is gone cancels nothing, and its call is forgotten. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setImmediate, setTimeout } from "node:timers/promises"
import { createMcpHandler, DEFAULTS, type McpHandler } from "@safelight/mcp"
import { until } from "../../support/until.ts"

const MODEL = {
  model: "acme/one",
  available: true,
  unavailable_reason: null,
  outputs: { type: "image", keys: "image_<n>" },
  media: [],
  limits: { body_bytes: 1, url_characters: 1, data_url_bytes: 1 },
  price_version: "1",
  price: {},
  parameters: { type: "object" },
}
const TASK = {
  task_id: "01a21975-0558-7000-8422-7f03c11543a5",
  model: MODEL.model,
  status: "running",
  progress: 1,
  created_at: 1,
  finished_at: 0,
  error: null,
  links: { self: "/", artifacts: "/" },
}

const REFUSED = { code: "forbidden", type: "permission_error", message: "This key may not cancel." }

/** An API whose task never ends, and whose cancellations have these outcomes. */
function createApi(outcomes: readonly (string | undefined)[] = ["stopped"]) {
  const asked: string[] = []
  const left = [...outcomes]
  let waiting = 0
  return {
    asked,
    waiting: () => waiting,
    async fetch(url: string, { method, signal }: RequestInit): Promise<Response> {
      const { pathname } = new URL(url)
      asked.push(`${method} ${pathname}`)
      if (pathname.startsWith("/v1/models/")) return Response.json(MODEL)
      if (pathname.endsWith("/cancel")) {
        const outcome = left.shift()
        if (outcome === undefined) return Response.json({ error: REFUSED }, { status: 403 })
        const charges = { charge_micros: outcome === "stopped" ? 0 : null, charge_limit_micros: 1 }
        return Response.json({ outcome, task: TASK, ...charges })
      }
      if (method === "POST") return Response.json(TASK, { status: 202 })
      waiting += 1
      await new Promise<void>((resolve) => {
        signal?.addEventListener("abort", () => resolve())
      })
      waiting -= 1
      throw new TypeError("aborted")
    },
  }
}

const SESSION = "0b8f2c3e-1111-4222-8333-444455556666"
const HEADERS = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
  authorization: "Bearer key",
  "mcp-session-id": SESSION,
}

function ask(mcp: McpHandler, message: object, more: { left?: AbortSignal; onOver?: () => void }) {
  const request = new Request("http://host/mcp", { method: "POST", headers: HEADERS, body: "{}" })
  const { left = new AbortController().signal, onOver = () => {} } = more
  const publicUrl = "http://host"
  return mcp.answer({ account: "ada", message, publicUrl, request, left, onOver })
}

const CALL = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: {
    name: "generate_image",
    arguments: { model: MODEL.model, parameters: { prompt: "a" }, wait_seconds: 600 },
  },
}

const CANCELLED = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }
const CANCEL = `POST /v1/tasks/${TASK.task_id}/cancel`

function createDoor(outcomes?: readonly (string | undefined)[]) {
  const api = createApi(outcomes)
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  return { api, errors, mcp: createMcpHandler({ fetch: api.fetch, version: "1", onError }) }
}

describe("a call over HTTP", () => {
  it("whose reader is gone waits no more and cancels nothing", async () => {
    const { api, errors, mcp } = createDoor()
    let overs = 0
    const response = await ask(mcp, CALL, { onOver: () => void (overs += 1) })
    await until(() => api.waiting() === 1)
    await response.body?.cancel()
    await until(() => api.waiting() === 0)
    // A cancellation would be asked for as soon as the wait has ended.
    for (let turn = 0; turn < 50; turn += 1) await setImmediate()
    assert.equal(overs, 1)
    assert.deepEqual(
      api.asked.filter((each) => each.startsWith("POST")),
      ["POST /v1/tasks"],
    )
    assert.deepEqual(errors, [])
  })

  it("that is cancelled has its task cancelled, and its answer ends", async () => {
    const { api, mcp } = createDoor()
    const response = await ask(mcp, CALL, {})
    const text = response.text()
    await until(() => api.waiting() === 1)
    assert.equal((await ask(mcp, CANCELLED, {})).status, 202)
    assert.doesNotMatch(await text, /result/)
    await until(() => api.asked.includes(CANCEL))
  })

  it("that is cancelled before its work has begun asks until that is stopped", async () => {
    const { api, errors, mcp } = createDoor(["unknown", "stopped"])
    void (await ask(mcp, CALL, {})).text()
    await until(() => api.waiting() === 1)
    await ask(mcp, CANCELLED, {})
    await until(() => api.asked.filter((each) => each === CANCEL).length === 2)
    // A further cancellation would be refused, and told.
    await setTimeout(DEFAULTS.cancelPausesMs[1] + 100)
    assert.deepEqual(errors, [])
  })

  it("whose cancellation fails tells the host which task may go on", async () => {
    const { api, errors, mcp } = createDoor([])
    void (await ask(mcp, CALL, {})).text()
    await until(() => api.waiting() === 1)
    await ask(mcp, CANCELLED, {})
    await until(() => errors.length === 1)
    assert.match(String(errors[0]), new RegExp(TASK.task_id))
  })

  it("forgets what it was given once that is bought", async () => {
    const { api, mcp } = createDoor()
    const parameters: Record<string, unknown> = { prompt: "a", image_urls: ["data:…"] }
    const given = { ...CALL.params.arguments, parameters }
    const message = { ...CALL, params: { ...CALL.params, arguments: given } }
    const response = await ask(mcp, message, {})
    await until(() => api.waiting() === 1)
    await response.body?.cancel()
    assert.deepEqual(parameters, {})
  })
})
