/** What a caller is told who has bought, and whose call fails afterwards: which task it was, since it is charged. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createOpenAiHandler } from "@safelight/openai"
import { toResponse } from "./to-response.ts"

const TASK = {
  task_id: "t-1",
  model: "acme/m",
  status: "running",
  finished_at: 0,
  error: null,
  progress: 1,
  created_at: 1,
  links: {},
}

/** A door whose API sells, and answers every other request about the task with the refusal. */
function open(makes: "image" | "video", refusal: number) {
  const labels: (string | null)[] = []
  const properties = {
    prompt: { type: "string" },
    size: { type: "string" },
    quality: { enum: ["1"] },
  }
  const options = {
    size: { parameter: "size", values: { tiny: "1x1" } },
    quality: { parameter: "quality", values: { low: "1" } },
  }
  const info = {
    model: "acme/m",
    parameters: { type: "object", properties },
    price: {},
    price_version: "1",
    outputs: { type: makes, keys: "key" },
    media: [],
    options,
  }
  const handler = createOpenAiHandler({
    async fetch(url, { headers, method } = {}) {
      const { pathname } = new URL(url)
      if (pathname.startsWith("/v1/models/")) return Response.json(info)
      labels.push(new Headers(headers).get("safelight-label"))
      if (method === "POST" && pathname === "/v1/tasks") return Response.json(TASK, { status: 202 })
      const error = { message: "no", type: "rate_limit_error", code: "rate_limit_exceeded" }
      return Response.json({ error }, { status: refusal, headers: { "retry-after": "30" } })
    },
  })
  const headers = { authorization: "Bearer k" }
  const { signal: left } = new AbortController()
  const request = new Request("http://a.example/", { method: "POST", headers })
  return { call: { request, left, onOver() {} }, handler, labels }
}

const MESSAGE = { model: "acme/m", prompt: "fog" }

describe("a call that has bought", () => {
  it("is refused with the name of its task, when its images can't be had now", async () => {
    const { call, handler } = open("image", 429)
    const answer = toResponse(await handler.generateImages({ ...call, message: { ...MESSAGE } }))
    const { error } = (await answer.json()) as { readonly error: Record<string, unknown> }
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [429, "30"])
    assert.equal(error["safelight_task_id"], "t-1")
    assert.equal(answer.headers.get("x-safelight-task-id"), "t-1")
  })

  it("has its video, whatever else can't be told of it", async () => {
    const { call, handler, labels } = open("video", 429)
    const message = { ...MESSAGE, size: "tiny" }
    const answer = toResponse(await handler.createVideo({ ...call, message }))
    const video = (await answer.json()) as Record<string, unknown>
    assert.deepEqual([answer.status, video["id"], video["size"]], [200, "t-1", "tiny"])
    assert.equal(answer.headers.get("x-safelight-task-id"), "t-1")
    assert.match(String(labels[0]), /openai-size="tiny"/)
  })
})

describe("a value of an option that has no text", () => {
  it("is sent on as it is, for the service to refuse it, and labels nothing", async () => {
    const { call, handler, labels } = open("video", 429)
    const quality = { toString: 1, valueOf: 1 }
    const message = { ...MESSAGE, quality, size: "é\n" }
    assert.equal((await handler.createVideo({ ...call, message })).status, 200)
    assert.doesNotMatch(String(labels[0]), /openai-size/)
  })
})

describe("the task of a caller who has left", () => {
  it("is cancelled when the account may ask again, if it may not at once", async () => {
    const info = {
      model: "acme/m",
      parameters: { type: "object", properties: { prompt: { type: "string" } } },
      price: {},
      price_version: "1",
      outputs: { type: "image", keys: "key" },
      media: [],
    }
    const leaving = new AbortController()
    let cancellations = 0
    const handler = createOpenAiHandler({
      async fetch(url, { method } = {}) {
        const { pathname } = new URL(url)
        if (pathname.startsWith("/v1/models/")) return Response.json(info)
        if (pathname === "/v1/tasks") return Response.json(TASK, { status: 202 })
        if (method !== "POST") {
          leaving.abort()
          return new Promise(() => {})
        }
        cancellations += 1
        const ended = { outcome: "cancelled", charge_micros: 0, charge_limit_micros: 0, task: TASK }
        if (cancellations > 1) return Response.json(ended)
        const error = { message: "no", type: "rate_limit_error", code: "rate_limit_exceeded" }
        return Response.json({ error }, { status: 429, headers: { "retry-after": "1" } })
      },
    })
    const headers = { authorization: "Bearer k" }
    const request = new Request("http://a.example/", { method: "POST", headers })
    const call = { request, left: leaving.signal, onOver() {}, message: { ...MESSAGE } }
    assert.equal((await handler.generateImages(call)).status, 499)
    assert.equal(cancellations, 2)
  })
})
