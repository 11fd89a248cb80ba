/** The task endpoints: shapes as the specification prints them, headers, and HEAD's parity. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createHttpHandler } from "@safelight/http"
import { createAccess, DEFAULTS as ACCESS_DEFAULTS } from "@safelight/access"
import { toTaskFailure, type Task } from "@safelight/core"
import { Hono } from "hono"
import { createFakeService, putArtifact, taskId, toTask } from "./fake-service.ts"
import { createFakeStorage } from "./fake-storage.ts"
import { creation, createWorld, VALID, WORLDS, type World } from "./worlds.ts"

const STATES: readonly [name: string, changes: Partial<Task>, shown: Record<string, unknown>][] = [
  ["queued", {}, { status: "queued", progress: 0, finished_at: 0, error: null }],
  [
    "running",
    { attempt: 1, state: "doubtful", progress: 41 },
    { status: "running", progress: 41, finished_at: 0, error: null },
  ],
  [
    "succeeded",
    { attempt: 1, state: "succeeded.expired", progress: 100, finishedAt: 1_767_225_700_999 },
    { status: "succeeded", progress: 100, finished_at: 1_767_225_700, error: null },
  ],
  [
    "failed",
    {
      state: "failed",
      progress: 0,
      finishedAt: 1_767_225_700_000,
      error: toTaskFailure("media_unreadable", 'It said "no".'),
    },
    {
      status: "failed",
      progress: 0,
      finished_at: 1_767_225_700,
      error: {
        message: 'It said "no".',
        type: "invalid_request_error",
        code: "media_unreadable",
      },
    },
  ],
]

for (const kind of WORLDS) {
  describe(`tasks, ${kind}`, () => {
    it("accepts a task with 202, its address and the queued task", async () => {
      await using world = await open(kind)
      const call = creation()
      const response = await world.call("/v1/tasks", call)
      const task = (await response.json()) as Record<string, unknown>
      assert.equal(response.status, 202)
      assert.equal(response.headers.get("location"), `/v1/tasks/${String(task["task_id"])}`)
      assert.equal(response.headers.get("retry-after"), null)
      assert.deepEqual([task["status"], task["model"]], ["queued", VALID.model])
      assert.deepEqual(world.fake.submitted, [VALID])
    })

    for (const type of ['Application/JSON; Charset="UTF-8"', "application/json;profile=x"]) {
      it(`takes a body of type ${type}`, async () => {
        await using world = await open(kind)
        const headers = { "content-type": type }
        const response = await world.call("/v1/tasks", { ...creation(), headers })
        assert.equal(response.status, 202)
      })
    }

    for (const [name, changes, shown] of STATES) {
      it(`shows a ${name} task in the order of the specification`, async () => {
        await using world = await open(kind)
        const { id, model } = world.fake.put(toTask(taskId(3), changes))
        const response = await world.call(`/v1/tasks/${id}`)
        const { status, progress, finished_at, error } = shown
        const links = { self: `/v1/tasks/${id}`, artifacts: `/v1/tasks/${id}/artifacts` }
        const created_at = 1_767_225_600
        assert.equal(
          await response.text(),
          JSON.stringify({
            task_id: id,
            model,
            status,
            progress,
            created_at,
            finished_at,
            error,
            links,
          }),
        )
        assert.equal(response.headers.get("retry-after"), finished_at === 0 ? "2" : null)
      })
    }

    it("lists artifacts, expired ones too, under the configured address", async () => {
      await using world = await open(kind)
      const { id } = putArtifact(world.fake, new Uint8Array(3), { expiresAt: 1_999, key: "ä b" })
      const headers = { host: "evil.example", "x-forwarded-host": "evil.example" }
      const response = await world.call(`/v1/tasks/${id}/artifacts`, { headers })
      const content_url = `https://media.example/v1/tasks/${id}/artifacts/%C3%A4%20b/content`
      const artifact = {
        key: "ä b",
        type: "image",
        mime_type: "image/png",
        content_url,
        expires_at: 1,
      }
      assert.equal(await response.text(), JSON.stringify({ task_id: id, artifacts: [artifact] }))
    })

    it("lists no artifacts of a failed task", async () => {
      await using world = await open(kind)
      const { id } = world.fake.put(toTask(taskId(3), STATES[3]?.[1]))
      const response = await world.call(`/v1/tasks/${id}/artifacts`)
      assert.equal(response.status, 200)
      assert.deepEqual(await response.json(), { task_id: id, artifacts: [] })
    })

    it("answers HEAD as GET without the body", async () => {
      await using world = await open(kind)
      const { id } = putArtifact(world.fake, new Uint8Array(3))
      const unfinished = world.fake.put(toTask(taskId(8)))
      const paths = [
        "",
        "/artifacts",
        "/usage",
        "/artifacts/image_1/content",
        "/artifacts/x/content",
      ]
      const tasks = [`/v1/tasks/${id}`, `/v1/tasks/${unfinished.id}`, `/v1/tasks/${taskId(404)}`]
      const all = tasks.flatMap((task) => paths.map((path) => task + path))
      for (const path of [...all, "/v1/usage", "/healthz", "/readyz", "/nothing"]) {
        const got = await world.call(path)
        const text = await got.text()
        const head = await world.call(path, { method: "HEAD" })
        assert.equal(await head.text(), "")
        assert.equal(head.status, got.status, path)
        const length = String(Buffer.byteLength(text))
        assert.deepEqual(toStable(head), { ...toStable(got), "content-length": length }, path)
      }
      assert.equal(world.fake.openReaders(), 0)
    })

    it("answers OPTIONS with the methods and no body, without a key", async () => {
      await using world = await open(kind)
      const response = await world.bare(`/v1/tasks/${taskId(1)}`, { method: "OPTIONS" })
      assert.equal(response.status, 204)
      assert.equal(response.headers.get("allow"), "GET, HEAD, OPTIONS")
      assert.match(response.headers.get("x-request-id") ?? "", /^req_/)
    })

    it("names every request differently", async () => {
      await using world = await open(kind)
      const calls = Array.from({ length: 20 }, () => world.bare("/healthz"))
      const ids = (await Promise.all(calls)).map(({ headers }) => headers.get("x-request-id"))
      assert.equal(new Set(ids).size, 20)
    })

    it("tells of health without a key, and of readiness what the check says", async () => {
      let failure: Error | undefined
      await using world = await open(kind, {
        checkReady: async () => {
          if (failure !== undefined) throw failure
        },
      })
      assert.deepEqual(await (await world.bare("/healthz")).json(), { status: "ok" })
      assert.deepEqual(await (await world.bare("/readyz")).json(), { status: "ready" })
      failure = new Error("no database")
      assert.equal((await world.bare("/readyz")).status, 503)
      assert.equal((await world.bare("/healthz")).status, 200)
    })
  })
}

describe("a finished task's kept answer", () => {
  it("is asked of the service once, and never given to another account", async () => {
    await using world = await open("in process")
    const { id } = putArtifact(world.fake, new Uint8Array(3))
    const stranger = world.keys.add({ account: "account-b" })
    const first = await (await world.call(`/v1/tasks/${id}`)).text()
    assert.equal(await (await world.call(`/v1/tasks/${id}`)).text(), first)
    assert.equal(world.fake.finds(), 1)
    const headers = { authorization: `Bearer ${stranger}` }
    assert.equal((await world.bare(`/v1/tasks/${id}`, { headers })).status, 404)
  })

  it("is never kept of an unfinished task", async () => {
    await using world = await open("in process")
    const { id } = world.fake.put(toTask(taskId(9)))
    await world.call(`/v1/tasks/${id}`)
    world.fake.put(toTask(id, { attempt: 1, state: "running", progress: 5 }))
    const task = (await (await world.call(`/v1/tasks/${id}`)).json()) as { progress: number }
    assert.equal(task.progress, 5)
  })
})

describe("the order of checks", () => {
  /** Each call fails this check and every later one. */
  const bad = { "content-type": "text/plain", "content-encoding": "gzip" }
  const rows: readonly [code: string, (world: World) => Promise<Response>][] = [
    ["route_not_found", (world) => world.bare("/v1/nothing", { method: "PUT" })],
    ["method_not_allowed", (world) => world.bare("/v1/tasks", { method: "PUT" })],
    ["missing_api_key", (world) => world.bare("/v1/tasks", { ...creation("x"), headers: bad })],
    ["insufficient_scope", (world) => post(world, "x", bad, world.keys.add({ scopes: [] }))],
    ["unsupported_media_type", (world) => post(world, "x".repeat(99), bad)],
    [
      "unsupported_content_encoding",
      (world) => post(world, "x".repeat(99), { "content-encoding": "gzip" }),
    ],
    ["request_too_large", (world) => post(world, "x".repeat(99))],
    ["json_too_complex", (world) => post(world, `{"a":1,"a":${"[".repeat(33)}`)],
    ["invalid_json", (world) => post(world, '{"a":1,"a":2')],
    ["duplicate_key", (world) => post(world, '{"a":1,"a":2}')],
    ["missing_required_parameter", (world) => post(world, '{"parameters":3}')],
    ["invalid_type", (world) => post(world, '{"model":"x","parameters":3}')],
    ["model_not_found", (world) => post(world, '{"model":"x","parameters":{}}')],
  ]
  for (const kind of WORLDS) {
    for (const [code, request] of rows) {
      it(`comes to ${code} before what is wrong as well, ${kind}`, async () => {
        await using world = await open(kind, { settings: { bodyBytes: 64 } })
        const { error } = (await (await request(world)).json()) as { error: { code: string } }
        assert.equal(error.code, code)
      })
    }
  }

  it("looks for the task, its end, the key, the expiry, then the preconditions", async () => {
    await using world = await open("in process")
    const headers = { "if-match": '"x"' }
    const status = async (path: string) => (await world.call(path, { headers })).status
    const path = `/v1/tasks/${taskId(1)}/artifacts/image_1/content`
    assert.equal(await status(path), 404)
    world.fake.put(toTask(taskId(1)))
    assert.equal(await status(path), 409)
    putArtifact(world.fake, new Uint8Array(3), { expiresAt: 1 })
    assert.equal(await status(path.replace("image_1", "image_2")), 404)
    assert.equal(await status(path), 410)
    // Preconditions go by the log; bytes that are not there are found out by whoever wants them.
    putArtifact(world.fake, new Uint8Array(3), { bytes: 4 })
    assert.equal(await status(path), 412)
    assert.equal((await world.call(path)).status, 503)
  })
})

describe("authentication", () => {
  it("takes the scheme in any case", async () => {
    await using world = await open("in process")
    world.fake.put(toTask(taskId(1)))
    const headers = { authorization: `bEARER  ${world.key}` }
    assert.equal((await world.bare(`/v1/tasks/${taskId(1)}`, { headers })).status, 200)
  })

  it("judges each request of a connection by the key that it carries", async () => {
    await using world = await open("over a socket")
    const other = world.keys.add()
    const wrong = world.key.slice(0, -1) + (world.key.endsWith("0") ? "1" : "0")
    const call = async (key: string) =>
      (await world.bare("/v1/tasks/x", { headers: { authorization: `Bearer ${key}` } })).status
    const keys = [world.key, world.key, wrong, world.key, other, other, world.key]
    const statuses: number[] = []
    for (const key of keys) statuses.push(await call(key))
    assert.deepEqual(statuses, [404, 404, 401, 404, 404, 404, 404])
    world.keys.change(world.key, { revokedAt: 1 })
    await world.clock.advance(ACCESS_DEFAULTS.keyCacheMs)
    assert.deepEqual([await call(world.key), await call(other)], [401, 404])
  })

  it("ends a believed key at its own expiry", async () => {
    await using world = await open("in process")
    world.keys.change(world.key, { expiresAt: world.clock.now() + 10 })
    await world.call("/v1/tasks/x")
    await world.clock.advance(10)
    const response = await world.call("/v1/tasks/x")
    const { error } = (await response.json()) as { error: { code: string } }
    assert.equal(error.code, "api_key_expired")
  })
})

describe("createHttpHandler", () => {
  it("refuses a setting that is no positive integer, by its name", () => {
    const { service } = createFakeService()
    const clock = { now: () => 0, monotonicNow: () => 0 }
    const options = {
      service,
      access: createAccess({ storage: createFakeStorage().storage, service, clock }),
      clock,
      publicUrl: () => "",
    }
    for (const bodyBytes of [0, -1, 1.5, NaN]) {
      assert.throws(() => createHttpHandler({ ...options, settings: { bodyBytes } }), {
        code: "invalid-configuration",
        message: /bodyBytes/,
      })
    }
  })

  it("is a part of a host's application, whose middleware keeps its say", async () => {
    await using world = await open("in process")
    const { id } = putArtifact(world.fake, Buffer.from("pixels"))
    const host = new Hono()
    host.use(async (context, next) => {
      await next()
      context.res.headers.set("x-host", "yes")
    })
    host.route("/media", world.handler.app)
    const headers = { authorization: `Bearer ${world.key}` }
    const path = `/media/v1/tasks/${id}/artifacts/image_1/content`
    const response = await host.request(path, { headers })
    assert.equal(response.headers.get("x-host"), "yes")
    assert.equal(await response.text(), "pixels")
    const wrong = await host.request("/media/v1/tasks", { method: "PUT" })
    assert.equal(wrong.headers.get("allow"), "GET, HEAD, POST, OPTIONS")
  })
})

async function open(kind: (typeof WORLDS)[number], options = {}) {
  const world = await createWorld(kind, options)
  return { ...world, [Symbol.asyncDispose]: world.close }
}

function post(world: World, body: string, headers = {}, key = world.key): Promise<Response> {
  const call = creation(body)
  const authorization = `Bearer ${key}`
  return world.bare("/v1/tasks", {
    ...call,
    headers: { ...call.headers, authorization, ...headers },
  })
}

function toStable(response: Response): Record<string, string> {
  const {
    "x-request-id": id,
    date,
    connection,
    "keep-alive": alive,
    ...rest
  } = Object.fromEntries(response.headers)
  assert.ok(id !== undefined && date !== "" && connection !== "" && alive !== "")
  return rest
}
