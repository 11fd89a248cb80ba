/**
 * Creation requests on the real service (http-decisions §4, §7): what is stored is what was sent,
 * to the character, and each request is a task of its own unless a key says otherwise.
 */
import assert from "node:assert/strict"
import { after, before, describe, it } from "node:test"
import type { Storage } from "@safelight/core"
import { createInProcessService, type InProcessService } from "../in-process-service.ts"

const IMAGE = "vendor-a/v4.1/flash/text-to-image"
const EDIT = "vendor-b/imagine-image/v2.0/edit"
const VIDEO = "vendor-c/video-2.5/reference-to-video"
const POO = "\u{1f4a9}"
const PNG = "data:image/png;base64,AAAA"

let service: InProcessService
let storage: Storage

before(async () => {
  const wrapStorage = (opened: Storage): Storage => (storage = opened)
  service = await createInProcessService({ wrapStorage })
})

after(async () => {
  await service[Symbol.asyncDispose]()
})

interface Answer {
  readonly task_id: string
  readonly error: Record<string, unknown>
}

async function post(body: unknown, more: Record<string, string> = {}) {
  const headers = {
    authorization: `Bearer ${service.keys.whole}`,
    "content-type": "application/json",
    ...more,
  }
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const response = await fetch(`${service.url}/v1/tasks`, { method: "POST", headers, body: text })
  const { task_id: id, error } = (await response.json()) as Answer
  const isReplayed = response.headers.get("idempotent-replayed") === "true"
  return { status: response.status, id, error, isReplayed }
}

/** The parameters as the channel will be given them. */
async function readParameters(task: string): Promise<Record<string, unknown>> {
  const input = await storage.readInput({ task, name: "request" })
  return JSON.parse(Buffer.from(input?.body ?? "").toString()) as Record<string, unknown>
}

describe("a prompt", () => {
  for (const [name, prompt] of [
    ["U+0000", "a\u0000b"],
    ["blanks around it", " \t a lighthouse \n"],
    ["letters that compose to others", "e\u0301 \ufb01 \u212b"],
    ["a byte order mark", "\ufeffa"],
    ["characters of two code units", `${POO}${POO}`],
  ] as const) {
    it(`is kept as it was sent with ${name}, and replayed`, async () => {
      const body = { model: IMAGE, parameters: { prompt } }
      const key = { "idempotency-key": name }
      const { status, id } = await post(body, key)
      assert.equal(status, 202)
      assert.equal((await readParameters(id))["prompt"], prompt)
      assert.deepEqual(await post(body, key), {
        status: 202,
        id,
        error: null,
        isReplayed: true,
      })
    })
  }

  it("of 10,000 characters is taken where each is four bytes, and one more is refused", async () => {
    const longest = POO.repeat(10_000)
    const { status, id } = await post({ model: IMAGE, parameters: { prompt: longest } })
    assert.equal(status, 202)
    assert.equal((await readParameters(id))["prompt"], longest)
    const refused = await post({ model: IMAGE, parameters: { prompt: `${longest}${POO}` } })
    assert.equal(refused.status, 400)
    const { code, param } = refused.error
    assert.deepEqual([code, param], ["string_above_max_length", "parameters.prompt"])
  })
})

describe("a creation", () => {
  it("may begin with a byte order mark", async () => {
    const text = JSON.stringify({ model: IMAGE, parameters: { prompt: "a" } })
    assert.equal((await post(`\ufeff${text}`)).status, 202)
  })

  it("may hold the same data URL five times, and keeps all five", async () => {
    const parameters = { prompt: "", image_urls: Array.from({ length: 5 }, () => PNG) }
    const { status, id } = await post({ model: EDIT, parameters })
    assert.equal(status, 202)
    assert.deepEqual((await readParameters(id))["image_urls"], parameters.image_urls)
  })

  for (const model of [IMAGE, EDIT, VIDEO]) {
    it(`of ${model} without parameters is one error`, async () => {
      const { status, error } = await post({ model })
      assert.equal(status, 400)
      assert.deepEqual(error, {
        message: "parameters is required.",
        type: "invalid_request_error",
        code: "missing_required_parameter",
        param: "parameters",
      })
    })
  }

  it("takes 4, 4.0 and 4e0 as the same integer", async () => {
    for (const written of ["4", "4.0", "4e0", "40e-1"]) {
      const text = `{"model":"${VIDEO}","parameters":{"duration":${written}}}`
      const { status, id } = await post(text)
      assert.equal(status, 202, written)
      assert.deepEqual(await readParameters(id), { duration: 4 })
    }
  })

  it("names what is wrong by the specification's own path", async () => {
    const colors = [{}, { g: 256 }]
    const { error } = await post({ model: IMAGE, parameters: { prompt: "a", colors } })
    const { code, param, details } = error
    assert.deepEqual([code, param], ["integer_above_max_value", "parameters.colors[1].g"])
    assert.equal(details, undefined)
  })

  it("that comes twice without a key is two tasks", async () => {
    const body = { model: IMAGE, parameters: { prompt: "a" } }
    const stored = service.countStored()
    const [one, other] = [await post(body), await post(body)]
    assert.deepEqual([one.status, other.status], [202, 202])
    assert.notEqual(one.id, other.id)
    assert.equal(service.countStored().tasks, stored.tasks + 2)
  })
})
