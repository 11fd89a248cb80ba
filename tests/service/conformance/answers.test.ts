/**
 * What holds of answers whatever they are about (http-decisions §2, §3): HEAD is GET without the
 * body, a message repeats little of the input, every reason of a failed task has its code.
 */
import { createAccess } from "@safelight/access"
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { FAILURE_CODES, toTaskFailure, type FailureCode } from "@safelight/core"
import { createHttpHandler } from "@safelight/http"
import { createManualClock } from "@safelight/testkit"
import {
  createFakeService,
  outside,
  putArtifact,
  taskId,
  toTask,
} from "../../adapters/http/fake-service.ts"
import { createFakeStorage } from "../../adapters/http/fake-storage.ts"
import { creation, createWorld, VALID, WORLDS, type World } from "../../adapters/http/worlds.ts"
import { createRawClient } from "../../support/raw-client.ts"

const TASK = `/v1/tasks/${taskId(1)}`
const CONTENT = `${TASK}/artifacts/image_1/content`
const ONCE = { requests: 1, windowMs: 3_600_000 }

type Sent = Record<string, string>

/** What is asked by GET and by HEAD, of a world with one finished task. */
const READS: readonly (readonly [
  status: number,
  name: string,
  path: string,
  prepare?: (world: World) => Sent | void | Promise<void>,
])[] = [
  [200, "a task", TASK],
  [200, "an unfinished task", `/v1/tasks/${taskId(2)}`],
  [200, "the tasks", "/v1/tasks"],
  [200, "artifacts", `${TASK}/artifacts`],
  [200, "a task's events", `${TASK}/events`],
  [200, "a task's usage", `${TASK}/usage`],
  [200, "usage", "/v1/usage"],
  [200, "the balance", "/v1/balance"],
  [200, "the key", "/v1/me"],
  [200, "the models", "/v1/models"],
  [200, "a model", `/v1/models/${VALID.model}`],
  [200, "content", CONTENT],
  [200, "an empty artifact", CONTENT, ({ fake }) => void putArtifact(fake, new Uint8Array(0))],
  [200, "health", "/healthz"],
  [200, "readiness", "/readyz"],
  [200, "the document", "/openapi.json"],
  [200, "the reference", "/docs"],
  [304, "a copy that is good", CONTENT, () => ({ "if-none-match": "*" })],
  [304, "a document that is the same", "/openapi.json", () => ({ "if-none-match": "*" })],
  [400, "a wrong query", "/v1/tasks?limit=0"],
  [401, "no key", TASK, () => ({ authorization: "" })],
  [401, "a revoked key", TASK, ({ keys }) => withKey(keys.add({ revokedAt: 1 }))],
  [403, "a scope that is missing", TASK, ({ keys }) => withKey(keys.add({ scopes: [] }))],
  [403, "a suspended account", TASK, ({ accounts }) => accounts.set({ suspendedAt: 1 })],
  [404, "no route", "/v1/nothing"],
  [404, "no task", `/v1/tasks/${taskId(9)}`],
  [404, "no artifact", CONTENT.replace("image_1", "image_2")],
  [404, "a link that opens nothing", `${CONTENT}?access=v1`],
  [405, "a method that is none", `${TASK}/artifacts/image_1/links`],
  [409, "artifacts of an unfinished task", `/v1/tasks/${taskId(2)}/artifacts`],
  [410, "what is expired", CONTENT, ({ fake }) => void putArtifact(fake, BYTES, { expiresAt: 1 })],
  [412, "a false precondition", CONTENT, () => ({ "if-match": '"other"' })],
  [414, "a long address", `${TASK}?${"x".repeat(8_192)}`],
  [429, "a rate that is used up", "/v1/usage", useUp],
  [500, "a bug", TASK, ({ fake }) => fake.fail(new Error("a bug"))],
  [503, "a database that is down", TASK, ({ fake }) => fake.fail(outside("storage-unavailable"))],
  [503, "bytes out of reach", CONTENT, ({ fake }) => fake.fail(outside("artifacts-unavailable"))],
]

/** http-decisions §3 lists the codes and the types. */
const FAILURES: readonly (readonly [code: FailureCode, type: string])[] = [
  ["content_policy_violation", "content_policy_error"],
  ["safety_checker_required", "content_policy_error"],
  ["media_download_failed", "invalid_request_error"],
  ["media_too_large", "invalid_request_error"],
  ["media_too_small", "invalid_request_error"],
  ["unsupported_media_type", "invalid_request_error"],
  ["media_unreadable", "invalid_request_error"],
  ["provider_rejected", "generation_error"],
  ["provider_unavailable", "generation_error"],
  ["generation_timeout", "generation_error"],
  ["no_output", "generation_error"],
  ["upstream_outcome_unknown", "generation_error"],
  ["task_cancelled", "generation_error"],
  ["internal_error", "generation_error"],
]

const BYTES = Buffer.from("pixels")

function withKey(key: string): Sent {
  return { authorization: `Bearer ${key}` }
}

async function useUp(world: World): Promise<void> {
  world.accounts.set({ rates: { create: null, read: ONCE, content: null } })
  assert.equal((await world.call("/v1/usage")).status, 200)
}

for (const kind of WORLDS) {
  describe(`HEAD, ${kind}`, () => {
    for (const [status, name, path, prepare] of READS) {
      it(`is GET without the body where the answer is ${status}: ${name}`, async () => {
        await using world = await createWorld(kind)
        putArtifact(world.fake, BYTES)
        world.fake.put(toTask(taskId(2)))
        const headers = (await prepare?.(world)) ?? {}
        const [get, head] = [await read(world, "GET"), await read(world, "HEAD")]
        assert.equal(get.status, status)
        assert.equal(head.body, "")
        const length = String(Buffer.byteLength(get.body))
        const stated = status === 304 ? {} : { "content-length": length }
        assert.deepEqual(
          { ...head, body: get.body },
          { ...get, headers: { ...get.headers, ...stated } },
        )

        async function read(from: World, method: string) {
          const asIs = { "accept-encoding": "identity", ...headers }
          const response = await from.call(path, { method, headers: asIs })
          const { "x-request-id": id, ...all } = Object.fromEntries(response.headers)
          assert.match(id ?? "", /^req_/)
          for (const own of ["date", "connection", "keep-alive", "transfer-encoding"]) {
            delete all[own]
          }
          return { status: response.status, headers: all, body: await response.text() }
        }
      })
    }
  })

  describe(`a message, ${kind}`, () => {
    const long = "m".repeat(101)
    for (const [name, body] of [
      ["a model", { ...VALID, model: long }],
      ["a member", { ...VALID, [long]: 1 }],
      ["a parameter's name", { ...VALID, parameters: { prompt: "a", [long]: 1 } }],
      ["a value", { ...VALID, parameters: { prompt: "a", size: long } }],
    ] as const) {
      it(`repeats no more than 100 characters of ${name}`, async () => {
        await using world = await createWorld(kind)
        const response = await world.call("/v1/tasks", creation(body))
        assert.equal(response.status, 400)
        const text = await response.text()
        assert.ok(!text.includes(long), text)
      })
    }

    const url = "https://media.example/a/lighthouse.png?key=1"
    for (const [name, body] of [
      ["a model", { ...VALID, model: url }],
      ["a member", { ...VALID, [url]: 1 }],
      ["a model that holds data", { ...VALID, model: "data:image/png;base64,AAAA" }],
      ["a value", { ...VALID, parameters: { prompt: "a", size: url } }],
    ] as const) {
      it(`repeats no URL that stands where ${name} belongs`, async () => {
        await using world = await createWorld(kind)
        const response = await world.call("/v1/tasks", creation(body))
        assert.equal(response.status, 400)
        assert.doesNotMatch(await response.text(), /media\.example|base64/)
      })
    }
  })

  describe(`a failed task, ${kind}`, () => {
    for (const [code, type] of FAILURES) {
      it(`says ${code} as ${type}`, async () => {
        await using world = await createWorld(kind)
        const error = toTaskFailure(code)
        world.fake.put(toTask(taskId(1), { state: "failed", finishedAt: 1_000, error }))
        const shown = await (await world.call(TASK)).json()
        const { status, error: told } = shown as { status: string; error: Record<string, string> }
        assert.deepEqual(Object.keys(told), ["message", "type", "code"])
        assert.deepEqual([status, told["type"], told["code"]], ["failed", type, code])
        assert.notEqual(told["message"], "")
      })
    }
  })

  describe(`a model's id, ${kind}`, () => {
    for (const [name, model] of [
      ["in another case", VALID.model.toUpperCase()],
      ["with a space behind it", `${VALID.model} `],
      ["with a space before it", ` ${VALID.model}`],
      ["without its version", "vendor-a/flash/text-to-image"],
      ["empty", ""],
    ] as const) {
      it(`is unknown ${name}`, async () => {
        await using world = await createWorld(kind)
        const response = await world.call("/v1/tasks", creation({ ...VALID, model }))
        const { error } = (await response.json()) as { error: Record<string, string> }
        assert.equal(response.status, 400)
        assert.deepEqual([error["code"], error["param"]], ["model_not_found", "model"])
      })
    }
  })
}

describe("the codes of failed tasks", () => {
  it("are those that the decisions list, and no others", () => {
    assert.deepEqual(FAILURES.map(([code]) => code).toSorted(), FAILURE_CODES.toSorted())
  })
})

describe("shed load", () => {
  it("is asked to come back in 1 to 30 seconds, each caller at another time", async () => {
    const told = new Set<number>()
    for (const random of [0, 0.25, 0.5, 0.999_999]) {
      const { service, fail } = createFakeService()
      const { storage, keys } = createFakeStorage()
      const clock = createManualClock()
      fail(outside("overloaded"))
      const access = createAccess({ storage, service, clock })
      const options = { service, access, clock, publicUrl: () => "", random: () => random }
      const headers = { ...creation().headers, authorization: `Bearer ${keys.add()}` }
      const request = new Request("http://a/v1/tasks", {
        method: "POST",
        headers,
        body: JSON.stringify(VALID),
      })
      const response = await createHttpHandler(options).fetch(request)
      assert.equal(response.status, 503)
      told.add(Number(response.headers.get("retry-after")))
    }
    assert.deepEqual([...told], [1, 8, 16, 30])
  })
})

describe("HEAD on the wire", () => {
  it("has no body either where no request came of it", async () => {
    await using world = await createWorld("over a socket")
    for (const [lines, status] of [
      [["Host: a", `X-A: ${"x".repeat(17_000)}`], 431],
      [["Host: a", "X-A : b"], 400],
      [["X-A: b"], 400],
    ] as const) {
      const client = createRawClient(world.server?.url ?? "")
      client.send(`HEAD /healthz HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`)
      const text = await client.ended()
      assert.match(text, new RegExp(`^HTTP/1\\.1 ${status} [^]*\r\ncontent-length: [1-9]`, "i"))
      assert.match(text, /\r\n\r\n$/)
    }
  })
})
