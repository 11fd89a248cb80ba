/** OpenAI's options as parameters of the service's models, those of the catalogue among them; and time that is up. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createOpenAiHandler } from "@safelight/openai"
import { until } from "../../support/until.ts"
import { toResponse } from "./to-response.ts"

interface Asked {
  readonly method: string
  readonly path: string
  readonly body: { readonly model: string; readonly parameters: object } | undefined
  readonly headers: Headers
}

const LATER = { finished_at: 0, error: null, progress: 1, created_at: 1, links: {} }
const TASK = { task_id: "t-1", model: "acme/m", status: "running", ...LATER }

/** The door before an API that takes whatever it is sent, of one model. */
function open(
  properties: object,
  {
    listed = [] as object[],
    media = [] as object[],
    options = undefined as object | undefined,
    patienceMs = 20,
    now = 0,
    refusals = 0,
  } = {},
) {
  const asked: Asked[] = []
  const info = {
    model: "acme/m",
    parameters: { type: "object", properties },
    price: {},
    price_version: "1",
    outputs: { type: "image", keys: "image_<n>" },
    media,
    ...(options && { options }),
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
      if (path.endsWith("/links")) {
        return Response.json({ task_id: TASK.task_id, links: [] }, { status: 201 })
      }
      const isRefused = request.method === "POST" && refusals-- > 0
      if (isRefused) {
        const error = { message: "no", type: "rate_limit_error", code: "rate_limit_exceeded" }
        return Response.json({ error }, { status: 429, headers: { "retry-after": "30" } })
      }
      const status = request.method === "POST" ? 202 : 200
      return Response.json(TASK, { status, headers: { "retry-after": "1" } })
    },
  })
  async function generate(
    message: object,
    headers: Readonly<Record<string, string>> = {},
    left = new AbortController().signal,
  ) {
    const request = new Request("http://a.example/", {
      method: "POST",
      headers: { authorization: "Bearer k", ...headers },
    })
    const whole = { model: "acme/m", prompt: "fog", ...message }
    let ends = 0
    const onOver = (): void => void (ends += 1)
    const asking = { request, message: whole, left, onOver }
    const answer = toResponse(await handler.generateImages(asking))
    const { error } = (await answer.json()) as {
      readonly error: Readonly<Record<string, unknown>>
    }
    assert.equal(ends, 1)
    const sent = asked.find(({ method, path }) => method === "POST" && path === "/v1/tasks")
    return { answer, error, sent }
  }
  return { asked, generate, handler }
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
      [{ size: 5 }, "size"],
      [{ size: "1024" }, "size"],
      [{ stream: true, response_format: "url" }, "response_format"],
      [{ partial_images: 1 }, "partial_images"],
      [{ toString: 1 }, "toString"],
    ] as const) {
      const { answer, error, sent } = await open(PROMPT).generate(given)
      assert.deepEqual([answer.status, error["param"], sent], [400, param, undefined])
    }
  })
})

describe("options whose parameters the model names itself", () => {
  const properties = {
    ...PROMPT,
    canvas: { enum: ["auto", "wide", "tall"] },
    steps: { type: "integer" },
    batch: { type: "integer" },
    size: { enum: ["1024x1024"] },
  }
  const options = {
    size: { parameter: "canvas", values: { "1792x1024": "wide" } },
    quality: { parameter: "steps", values: { high: 40 } },
    n: { parameter: "batch" },
  }
  for (const [given, parameters] of [
    [{ size: "1792x1024" }, { canvas: "wide" }],
    [{ size: "tall" }, { canvas: "tall" }],
    [{ size: "auto" }, { canvas: "auto" }],
    [{ quality: "high" }, { steps: 40 }],
    [{ quality: "auto" }, {}],
    [{ n: 3 }, { batch: 3 }],
  ] as const) {
    it(`become those, by their values or as they are: ${JSON.stringify(given)}`, async () => {
      const { sent } = await open(properties, { options }).generate(given)
      assert.deepEqual(sent?.body?.parameters, { prompt: "fog", ...parameters })
    })
  }
})

describe("options that meet in one parameter, or are no size", () => {
  const edges = { ...PROMPT, width: { type: "integer" }, height: { type: "integer" } }
  const counted = { ...PROMPT, num_images: { type: "integer", maximum: 4 } }
  for (const [properties, given, param] of [
    [counted, { n: 2, num_images: 3 }, "num_images"],
    [counted, { num_images: 3, n: 2 }, "n"],
    [edges, { size: "1024" }, "size"],
    [edges, { size: "1024x768x9" }, "size"],
    [edges, { size: 5 }, "size"],
  ] as const) {
    it(`are refused: ${JSON.stringify(given)}`, async () => {
      const { answer, error, sent } = await open(properties).generate(given)
      assert.deepEqual([answer.status, error["param"], sent], [400, param, undefined])
    })
  }
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

describe("a call that is ended before its task", () => {
  const cancelled = (asked: readonly Asked[]) => asked.some(({ path }) => path.endsWith("/cancel"))
  const repeats = { "x-stainless-retry-count": "0" }

  it("by the service's stop has the task go on, and says so", async () => {
    const { asked, generate, handler } = open(PROMPT, { patienceMs: 60_000 })
    const calling = generate({})
    await until(() => asked.some(({ path }) => path === "/v1/tasks/t-1"))
    handler.end()
    const { answer, error } = await calling
    assert.deepEqual([answer.status, error["code"]], [503, "service_unavailable"])
    assert.equal(answer.headers.get("retry-after"), "1")
    assert.equal(error["safelight_task_id"], "t-1")
    assert.equal(cancelled(asked), false)
  })

  for (const [who, headers, isCancelled] of [
    ["a caller who leaves", {}, true],
    ["one who leaves and may repeat", repeats, false],
    ["one who leaves and has a key", { "idempotency-key": "k" }, false],
  ] as const) {
    it(`by ${who} has it ${isCancelled ? "cancelled" : "go on"}`, async () => {
      const { asked, generate } = open(PROMPT, { patienceMs: 60_000 })
      const leaving = new AbortController()
      const calling = generate({}, headers, leaving.signal)
      await until(() => asked.some(({ path }) => path === "/v1/tasks/t-1"))
      leaving.abort()
      assert.equal((await calling).answer.status, 499)
      assert.equal(cancelled(asked), isCancelled)
    })
  }
})

describe("a repeat of a request that was refused", () => {
  it("is a purchase, though an equal one was finished before", async () => {
    const done = { ...TASK, status: "succeeded", finished_at: 1_000 }
    const now = 1_030_000
    const repeat = { "x-stainless-retry-count": "1" }
    const count = (asked: readonly Asked[]): number =>
      asked.filter(({ method, path }) => method === "POST" && path === "/v1/tasks").length
    const lost = open(PROMPT, { listed: [done], now })
    await lost.generate({}, repeat)
    assert.equal(count(lost.asked), 0)
    const refused = open(PROMPT, { listed: [done], now, refusals: 1 })
    const { answer } = await refused.generate({})
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [429, "30"])
    await refused.generate({}, repeat)
    assert.equal(count(refused.asked), 2)
  })

  it("is none where the refusal may have been before the end of the task", async () => {
    const done = { ...TASK, status: "succeeded", finished_at: 1_000 }
    const { asked, generate } = open(PROMPT, { listed: [done], now: 1_000_300, refusals: 1 })
    await generate({})
    await generate({}, { "x-stainless-retry-count": "1" })
    const bought = asked.filter(({ method, path }) => method === "POST" && path === "/v1/tasks")
    assert.equal(bought.length, 1)
  })
})

describe("the members of a form", () => {
  const left = new AbortController().signal

  async function edit(properties: object, fields: readonly (readonly [string, string | Blob])[]) {
    const media = [
      { param: "parameters.image_urls", type: "image", data_url_types: [] },
      { param: "parameters.mask_url", type: "image", data_url_types: [] },
    ]
    const lists = { image_urls: { type: "array" }, mask_url: { type: "string" } }
    const { asked, handler } = open({ ...PROMPT, ...lists, ...properties }, { media })
    const message = new FormData()
    const all = [["model", "acme/m"], ["prompt", "fog"], ...fields] as const
    for (const [name, value] of all) {
      if (typeof value === "string") message.append(name, value)
      else message.append(name, value, "file")
    }
    const headers = { authorization: "Bearer k" }
    const request = new Request("http://a.example/", { method: "POST", headers })
    let takes = 0
    const onTaken = (): void => void (takes += 1)
    const asking = { request, message, left, onTaken, onOver() {} }
    const answer = toResponse(await handler.editImages(asking))
    const sent = asked.find(({ method, path }) => method === "POST" && path === "/v1/tasks")
    const { error } = (await answer.json()) as { error: { param: string; code: string } }
    return { error, message, takes, parameters: sent?.body?.parameters }
  }

  const bytes = Buffer.from("\x89PNG\r\n\x1A\n and more", "latin1")
  const png = new Blob([bytes])
  const url = `data:image/png;base64,${bytes.toString("base64")}`

  it("are numbers and truths where the model says so, and texts elsewhere", async () => {
    const types = {
      num_images: { type: "integer" },
      guidance: { type: "number" },
      safe: { type: "boolean" },
      style: { type: "string" },
      raw: { type: "boolean" },
    }
    const { parameters } = await edit(types, [
      ["image", png],
      ["n", "3"],
      ["guidance", "-1.5"],
      ["safe", "false"],
      ["style", "7"],
      ["raw", "yes"],
    ])
    const typed = { num_images: 3, guidance: -1.5, safe: false, style: "7", raw: "yes" }
    assert.deepEqual(parameters, { prompt: "fog", image_urls: [url], ...typed })
  })

  it("are lists where they are named so or repeated, and media by their first bytes", async () => {
    const jpeg = new Blob([Buffer.from("\xFF\xD8\xFF", "latin1")], { type: "image/png" })
    const gif = new Blob(["GIF89a"], { type: "image/gif" })
    const { parameters } = await edit({}, [
      ["image[]", jpeg],
      ["image[]", gif],
      ["mask[image_url]", "https://a.example/m.png"],
    ])
    const urls = ["data:image/jpeg;base64,/9j/", "data:image/gif;base64,R0lGODlh"]
    const mask = "https://a.example/m.png"
    assert.deepEqual(parameters, { prompt: "fog", image_urls: urls, mask_url: mask })
    const twice = await edit({}, [
      ["image", png],
      ["image", png],
    ])
    assert.deepEqual(twice.parameters, { prompt: "fog", image_urls: [url, url] })
  })

  it("are gone from the body while the task is waited for, and the server is told", async () => {
    const { message, takes } = await edit({}, [["image", png]])
    assert.deepEqual([[...message.keys()], takes], [[], 1])
  })
})
