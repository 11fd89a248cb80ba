/** OpenAI's options as parameters of the service's models, those of the catalogue among them; and time that is up. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createOpenAiHandler } from "@safelight/openai"

interface Asked {
  readonly method: string
  readonly path: string
  readonly body: { readonly model: string; readonly parameters: object } | undefined
  readonly headers: Headers
}

const LATER = { finished_at: 0, error: null, progress: 1, created_at: 1, links: {} }
const TASK = { task_id: "t-1", model: "acme/m", status: "running", ...LATER }

/** The door before an API that takes whatever it is sent, of one model. */
function open(properties: object, { listed = [] as object[], patienceMs = 20, now = 0 } = {}) {
  const asked: Asked[] = []
  const info = {
    model: "acme/m",
    parameters: { type: "object", properties },
    price: {},
    price_version: "1",
    outputs: { type: "image", keys: "image_<n>" },
    media: [],
  }
  const handler = createOpenAiHandler({
    patienceMs,
    now: () => now,
    async fetch(url, init) {
      const request = new Request(url, init)
      const { pathname: path } = new URL(request.url)
      const text = await request.text()
      const body = text === "" ? undefined : (JSON.parse(text) as Asked["body"])
      asked.push({ method: request.method, path, body, headers: request.headers })
      if (path.startsWith("/v1/models/")) return Response.json(info)
      if (path === "/v1/tasks" && request.method === "GET") {
        return Response.json({ tasks: listed, next_cursor: null })
      }
      const status = request.method === "POST" ? 202 : 200
      return Response.json(TASK, { status, headers: { "retry-after": "1" } })
    },
  })
  async function generate(message: object, headers: Readonly<Record<string, string>> = {}) {
    const request = new Request("http://a.example/", {
      method: "POST",
      headers: { authorization: "Bearer k", ...headers },
    })
    const left = new AbortController().signal
    const whole = { model: "acme/m", prompt: "fog", ...message }
    const answer = await handler.generateImages({ request, message: whole, left })
    const { error } = (await answer.json()) as {
      readonly error: Readonly<Record<string, unknown>>
    }
    const sent = asked.find(({ method, path }) => method === "POST" && path === "/v1/tasks")
    return { answer, error, sent }
  }
  return { asked, generate }
}

const PROMPT = { prompt: { type: "string" } }

describe("the options of a request for images", () => {
  const named = { enum: ["square_hd", "square", "landscape_16_9", "portrait_4_3"] }
  for (const [name, properties, given, parameters] of [
    [
      "a size of its own pixels",
      { image_size: named },
      { size: "512x512" },
      { image_size: "square" },
    ],
    [
      "the shape of a size",
      { image_size: named },
      { size: "1792x1024" },
      { image_size: "landscape_16_9" },
    ],
    [
      "a size as it stands",
      { size: { enum: ["1024x1024"] } },
      { size: "1024x1024" },
      { size: "1024x1024" },
    ],
    [
      "a ratio",
      { aspect_ratio: { enum: ["1:1", "16:9"] } },
      { size: "1024x1024" },
      { aspect_ratio: "1:1" },
    ],
    [
      "two edges",
      { width: { type: "integer" }, height: { type: "integer" } },
      { size: "640x480" },
      { width: 640, height: 480 },
    ],
    ["no size where it is auto", { image_size: named }, { size: "auto" }, {}],
    [
      "auto where the model has it",
      { quality: { enum: ["auto"] } },
      { quality: "auto" },
      { quality: "auto" },
    ],
    ["no quality where it is auto", {}, { quality: "auto" }, {}],
    ["how many", { num_images: { type: "integer", maximum: 4 } }, { n: 3 }, { num_images: 3 }],
    ["one, for a model that makes one", {}, { n: 1 }, {}],
    ["nothing for null", {}, { n: null, quality: null }, {}],
    ["what is the model's own", { seed: { type: "integer" } }, { seed: 5 }, { seed: 5 }],
  ] as const) {
    it(`become ${name}`, async () => {
      const { sent } = await open({ ...PROMPT, ...properties }).generate(given)
      assert.deepEqual(sent?.body?.parameters, { prompt: "fog", ...parameters })
    })
  }

  it("are refused without a parameter, before anything is sent", async () => {
    for (const [given, param] of [
      [{ n: 2 }, "n"],
      [{ size: "1024x1024" }, "size"],
      [{ style: "vivid" }, "style"],
      [{ toString: 1 }, "toString"],
    ] as const) {
      const { answer, error, sent } = await open(PROMPT).generate(given)
      assert.deepEqual([answer.status, error["param"], sent], [400, param, undefined])
    }
  })
})

describe("a call whose time is up", () => {
  it("names the task, and a repeat waits for the same one", async () => {
    const { answer, error } = await open(PROMPT).generate({})
    assert.deepEqual([answer.status, error["code"]], [504, "task_not_finished"])
    assert.equal(answer.headers.get("x-safelight-task-id"), "t-1")
    const repeat = { "x-stainless-retry-count": "1" }
    const again = await open(PROMPT, { listed: [TASK] }).generate({}, repeat)
    assert.deepEqual([again.answer.status, again.sent], [504, undefined])
  })

  it("is a purchase where the task of before was finished long ago", async () => {
    const repeat = { "x-stainless-retry-count": "2" }
    const done = { ...TASK, status: "succeeded", finished_at: 1_000 }
    for (const [now, isBought] of [
      [1_000_000 + 90_000, false],
      [1_000_000 + 90_001, true],
    ] as const) {
      const { asked, generate } = open(PROMPT, { listed: [done], now })
      await generate({}, repeat).catch(() => undefined)
      const bought = asked.some(({ method, path }) => method === "POST" && path === "/v1/tasks")
      assert.equal(bought, isBought)
    }
  })
})
