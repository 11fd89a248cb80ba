/** The official package before a real service: images, models, refusals, repeats, and callers who leave. */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import type { ApiKeyScope } from "@safelight/core"
import { generateImage } from "ai"
import { createOpenAiImages } from "./ai-sdk-openai.ts"
import OpenAI, {
  AuthenticationError,
  BadRequestError,
  NotFoundError,
  PermissionDeniedError,
  UnprocessableEntityError,
} from "openai"
import { startLyingProxy, type LyingProxy } from "../../support/lying-proxy.ts"
import { until } from "../../support/until.ts"
import { IMAGE, loseAnswers, startDoor, VIDEO, type Door, type Opened } from "./open-door.ts"

const PATH = "/openai/v1/images/generations"

let door: Door
let proxy: LyingProxy

/** All of one account. */
async function open(scopes?: readonly ApiKeyScope[], url = door.service.url) {
  return door.open({ account: "ada", url, ...(scopes && { scopes }) })
}

/** All tasks of the account. */
async function listTasks({ api }: Pick<Opened, "api">) {
  const { tasks } = await api.listPage({ limit: 100 })
  return tasks
}

before(async () => {
  door = await startDoor()
  proxy = await startLyingProxy(door.service.url)
})
after(async () => {
  await proxy[Symbol.asyncDispose]()
  await door[Symbol.asyncDispose]()
})

describe("images.generate of the official package", () => {
  it("answers with addresses that open without a key, or with the image itself", async () => {
    const { openai } = await open()
    const asked = { model: IMAGE, prompt: "fog", size: "1024x1024" } as const
    const linked = await openai.images.generate(asked)
    const url = linked.data?.[0]?.url ?? assert.fail()
    const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
    assert.equal(bytes.subarray(1, 4).toString(), "PNG")
    const inline = await openai.images.generate({ ...asked, response_format: "b64_json" })
    const read = Buffer.from(inline.data?.[0]?.b64_json ?? "", "base64")
    assert.equal(read.subarray(1, 4).toString(), "PNG")
    assert.ok(Math.abs(inline.created * 1_000 - Date.now()) < 60_000)
    assert.deepEqual([read.readUInt32BE(16), read.readUInt32BE(20)], [1_024, 1_024])
  })

  it("streams each image as an event of its own kind", async () => {
    const { openai } = await open()
    const stream = await openai.images.generate({ model: IMAGE, prompt: "fog", stream: true })
    const events = []
    for await (const event of stream) events.push(event)
    assert.deepEqual(
      events.map(({ type }) => type),
      ["image_generation.completed"],
    )
    assert.ok((events[0]?.b64_json ?? "").length > 1_000)
  })

  it("is a task like any other: priced, labelled, and found again", async () => {
    const found = await open()
    const earlier = (await listTasks(found)).length
    const answer = await found.openai.images
      .generate({ model: IMAGE, prompt: "fog", user: "u-1" })
      .asResponse()
    const id = answer.headers.get("x-safelight-task-id") ?? ""
    const { safelight } = (await answer.json()) as { safelight: object }
    assert.deepEqual(safelight, { task_id: id })
    const usage = await found.api.taskUsage(id)
    assert.equal(usage.charge_micros, 10_000)
    const { tasks } = await found.api.listPage({ label: ["openai-user=u-1"] })
    assert.deepEqual(
      tasks.map((task) => task.task_id),
      [id],
    )
    assert.equal((await listTasks(found)).length, earlier + 1)
  })

  it("takes a model's own parameters by their names, and refuses every other by its name", async () => {
    const found = await open()
    const earlier = (await listTasks(found)).length
    const own = { model: IMAGE, prompt: "fog", enable_safety_checker: false }
    await found.openai.images.generate(own)
    for (const [given, param, code] of [
      [{ guidance: 3 }, "guidance", "unknown_parameter"],
      [{ n: 2 }, "n", "unsupported_parameter"],
      [{ quality: "hd" }, "quality", "unsupported_parameter"],
      [{ size: "300x700" }, "size", "invalid_value"],
      [{ response_format: "png" }, "response_format", "invalid_value"],
      [{ partial_images: 9 }, "partial_images", "invalid_value"],
      [{ user: "é" }, "user", "invalid_value"],
    ] as const) {
      const asked = { model: IMAGE, prompt: "fog", ...given } as unknown as typeof own
      const error: unknown = await found.openai.images
        .generate(asked)
        .catch((cause: unknown) => cause)
      assert.ok(error instanceof BadRequestError, String(error))
      assert.deepEqual([error.param, error.code], [param, code])
    }
    assert.equal((await listTasks(found)).length, earlier + 1)
  })

  it("is refused in that API's words, with ours beside", async () => {
    const { openai } = await open()
    const unknown: unknown = await openai.images
      .generate({ model: "acme/none", prompt: "fog" })
      .catch((error: unknown) => error)
    assert.ok(unknown instanceof NotFoundError)
    const film: unknown = await openai.images
      .generate({ model: VIDEO, prompt: "fog" })
      .catch((error: unknown) => error)
    assert.ok(film instanceof BadRequestError && film.param === "model")
    const empty: unknown = await openai.images
      .generate({ model: IMAGE, prompt: "" })
      .catch((error: unknown) => error)
    assert.ok(empty instanceof BadRequestError)
    assert.equal(empty.param, "prompt")
    const reader = await open(["tasks:read"])
    const scope: unknown = await reader.openai.images
      .generate({ model: IMAGE, prompt: "fog" })
      .catch((error: unknown) => error)
    assert.ok(scope instanceof PermissionDeniedError)
    const wrong = new OpenAI({ apiKey: "sl_live_none", baseURL: `${door.service.url}/openai/v1` })
    const key: unknown = await wrong.models.list().catch((error: unknown) => error)
    assert.ok(key instanceof AuthenticationError)
  })

  it("says of an image that was made and can't be linked to that it is there", async () => {
    const { openai } = await open(["tasks:write", "tasks:read", "artifacts:read"])
    const error: unknown = await openai.images
      .generate({ model: IMAGE, prompt: "fog" })
      .catch((cause: unknown) => cause)
    assert.ok(error instanceof PermissionDeniedError)
    assert.equal(error.param, "response_format")
    assert.match(String(error.headers.get("x-safelight-task-id")), /^[0-9a-f-]{36}$/)
    const asked = { model: IMAGE, prompt: "fog", response_format: "b64_json" } as const
    assert.ok((await openai.images.generate(asked)).data?.[0]?.b64_json)
  })

  it("is not repeated by the package where the task fails", async () => {
    const found = await open()
    const earlier = (await listTasks(found)).length
    const error: unknown = await found.openai.images
      .generate({ model: IMAGE, prompt: "[studio: fail internal_error] fog" })
      .catch((cause: unknown) => cause)
    assert.ok(error instanceof UnprocessableEntityError, String(error))
    assert.equal((await listTasks(found)).length, earlier + 1)
  })
})

describe("a repeat by the official package", () => {
  it("buys nothing where an answer was lost, and each call of its own buys", async () => {
    const found = await open(undefined, proxy.url)
    const earlier = (await listTasks(found)).length
    const prompt = `fog ${Date.now()}`
    const countTries = loseAnswers(proxy, PATH, 2)
    const first = await found.openai.images.generate({ model: IMAGE, prompt })
    assert.ok(first.data?.[0]?.url)
    assert.equal(countTries(), 3)
    assert.equal((await listTasks(found)).length, earlier + 1)
    await found.openai.images.generate({ model: IMAGE, prompt })
    assert.equal((await listTasks(found)).length, earlier + 2)
  })

  it("of another key, or with another body, is a purchase", async () => {
    const [one, other] = [await open(), await open()]
    const headers = { "x-stainless-retry-count": "1" }
    const prompt = `mist ${Date.now()}`
    const earlier = (await listTasks(one)).length
    for (const [{ openai }, text] of [
      [one, prompt],
      [other, prompt],
      [one, `${prompt}.`],
      [one, prompt],
    ] as const) {
      await openai.images.generate({ model: IMAGE, prompt: text }, { headers })
    }
    assert.equal((await listTasks(one)).length, earlier + 3)
  })

  it("with an Idempotency-Key is the same task, whatever the package counts", async () => {
    const found = await open()
    const earlier = (await listTasks(found)).length
    const headers = { "Idempotency-Key": `key-${Date.now()}` }
    for (let count = 0; count < 2; count += 1) {
      await found.openai.images.generate({ model: IMAGE, prompt: "fog" }, { headers })
    }
    assert.equal((await listTasks(found)).length, earlier + 1)
  })
})

describe("a caller who leaves", () => {
  async function leave(headers: Readonly<Record<string, string>>) {
    const found = await open()
    const leaving = new AbortController()
    const known = new Set((await listTasks(found)).map(({ task_id: id }) => id))
    const asked = fetch(`${door.service.url}${PATH}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${found.apiKey}`,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify({ model: IMAGE, prompt: "[studio: delay 60s] fog" }),
      signal: leaving.signal,
    })
    const gone = assert.rejects(asked, { name: "AbortError" })
    const find = async () => (await listTasks(found)).find(({ task_id: id }) => !known.has(id))
    const task = await until(find)
    assert.ok(task !== undefined)
    leaving.abort()
    await gone
    return { api: found.api, id: task.task_id }
  }

  it("has the task cancelled", async () => {
    const { api, id } = await leave({})
    const { error } = await api.wait(id)
    assert.equal(error?.code, "task_cancelled")
  })

  it("and may repeat the request has it go on", async () => {
    const { api, id } = await leave({ "x-stainless-retry-count": "0" })
    const { status } = await api.get(id)
    assert.ok(status === "queued" || status === "running")
    await api.cancel(id)
  })
})

describe("the models", () => {
  it("are listed, and shown one by one, ids with slashes too", async () => {
    const { openai } = await open()
    const ids = []
    for await (const model of openai.models.list()) ids.push(model.id)
    assert.deepEqual(ids.slice(0, 1), [IMAGE])
    const shown = await openai.models.retrieve(IMAGE)
    assert.deepEqual([shown.id, shown.object, shown.owned_by], [IMAGE, "model", "vendor-a"])
    await assert.rejects(openai.models.retrieve("acme/none"), NotFoundError)
  })
})

describe("requests of others", () => {
  it("are taken as LiteLLM and the AI SDK send them", async () => {
    const { apiKey } = await open()
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" }
    const body = JSON.stringify({
      model: IMAGE,
      prompt: "fog",
      n: 1,
      size: "1024x1024",
      response_format: "b64_json",
      user: "litellm-user",
    })
    const answer = await fetch(`${door.service.url}${PATH}`, { method: "POST", headers, body })
    assert.equal(answer.status, 200)
    const provider = createOpenAiImages(`${door.service.url}/openai/v1`, apiKey)
    const { image } = await generateImage({
      model: provider(IMAGE),
      prompt: "fog",
      size: "1024x1024",
    })
    assert.equal(image.mediaType, "image/png")
  })

  it("are refused where they mean harm: no object, a huge or deep body, names of objects", async () => {
    const { apiKey } = await open()
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" }
    const send = (body: string) =>
      fetch(`${door.service.url}${PATH}`, { method: "POST", headers, body }).then(
        ({ status }) => status,
      )
    const proto = `{"model":"${IMAGE}","prompt":"fog","__proto__":{"a":1}}`
    const named = `{"model":"${IMAGE}","prompt":"fog","constructor":"x"}`
    assert.deepEqual(
      [await send("[]"), await send("7"), await send("{"), await send(proto), await send(named)],
      [400, 400, 400, 400, 400],
    )
    const deep = `{"model":"${IMAGE}","prompt":${"[".repeat(100_000)}${"]".repeat(100_000)}}`
    assert.equal(await send(deep), 400)
    const huge = `{"model":"${IMAGE}","prompt":"${"x".repeat(5_000_000)}"}`
    assert.equal(await send(huge), 413)
  })
})
