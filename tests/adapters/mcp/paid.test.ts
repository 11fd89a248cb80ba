/** What an agent is told once its task is bought: whatever can't be read then never looks as if nothing was bought. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createMcpHandler } from "@safelight/mcp"

const ID = "01a21975-0558-7000-8422-7f03c11543a5"
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
  task_id: ID,
  model: MODEL.model,
  status: "succeeded",
  progress: 100,
  created_at: 1,
  finished_at: 2,
  error: null,
  links: { self: "/", artifacts: "/" },
}
const BUSY = {
  error: { message: "Too much.", type: "rate_limit_error", code: "rate_limit_exceeded" },
}

/** Longer than the door waits by itself. */
const HEADERS = { "retry-after": "60" }

async function call(
  name: string,
  given: object,
  answers: Readonly<Record<string, Response>>,
  { left = new AbortController().signal }: { readonly left?: AbortSignal } = {},
): Promise<{ readonly isError?: boolean; readonly structuredContent: Record<string, unknown> }> {
  const mcp = createMcpHandler({
    version: "1",
    onError: (error) => assert.fail(error as Error),
    async fetch(url, { method }) {
      const { pathname } = new URL(url)
      if (pathname.startsWith("/v1/models/")) return Response.json(MODEL)
      const found = answers[`${method} ${pathname}`]
      return found ?? Response.json(BUSY, { status: 429, headers: HEADERS })
    },
  })
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    authorization: "Bearer key",
  }
  const publicUrl = "http://host"
  const response = await mcp.answer({
    account: "ada",
    message: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } },
    request: new Request(`${publicUrl}/mcp`, { method: "POST", headers, body: "{}" }),
    publicUrl,
    left,
    onOver: () => {},
  })
  const data = /^data: (.*)$/m.exec(await response.text())?.[1] ?? ""
  return JSON.parse(data).result
}

const PICTURE = { model: MODEL.model, parameters: {} }

describe("a call that has bought a task", () => {
  it("is no error if what the task cost can't be read", async () => {
    const artifacts = Response.json({ artifacts: [], next_cursor: null })
    const answers = {
      "POST /v1/tasks": Response.json(TASK, { status: 202 }),
      [`GET /v1/tasks/${ID}/artifacts`]: artifacts,
    }
    const result = await call("generate_image", PICTURE, answers)
    const {
      charge_error: error,
      charge_micros: micros,
      status,
      task_id: id,
    } = result.structuredContent
    assert.deepEqual([id, status, micros], [ID, "succeeded", null])
    assert.equal((error as { code?: string }).code, "rate_limit_exceeded")
    assert.notEqual(result.isError, true)
  })

  it("names it if it can't be looked at when the time is over", async () => {
    const running = Response.json({ ...TASK, status: "running", finished_at: 0 }, { status: 202 })
    const over = { left: AbortSignal.abort() }
    const result = await call("generate_image", PICTURE, { "POST /v1/tasks": running }, over)
    const { error, task_id: id } = result.structuredContent
    assert.deepEqual([result.isError, id], [true, ID])
    assert.equal((error as { code?: string }).code, "rate_limit_exceeded")
  })
})
