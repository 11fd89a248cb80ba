/** `GET /v1/tasks`: what is asked of the service, what is shown, and every query that is refused. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Task } from "@safelight/core"
import { outside, taskId, toTask } from "./fake-service.ts"
import { createWorld, VALID, WORLDS, type World } from "./worlds.ts"

interface Listed {
  readonly tasks: readonly { readonly task_id: string }[]
  readonly next_cursor: string | null
}

for (const kind of WORLDS) {
  describe(`the list of tasks, ${kind}`, () => {
    it("shows each task as its own address does, newest first", async () => {
      await using world = await open(kind)
      const states: readonly Partial<Task>[] = [
        {},
        { attempt: 1, state: "running", progress: 41 },
        { attempt: 1, state: "succeeded.available", progress: 100, finishedAt: 1_767_225_700_999 },
      ]
      const ids = states.map((state, index) => world.fake.put(toTask(taskId(index), state)).id)
      world.fake.put(toTask(taskId(9), { account: "account-b" }))
      const shown = ids.toReversed().map(async (id) => (await world.call(`/v1/tasks/${id}`)).text())
      const response = await world.call("/v1/tasks")
      const tasks = (await Promise.all(shown)).join(",")
      assert.equal(response.status, 200)
      assert.equal(response.headers.get("content-type"), "application/json; charset=utf-8")
      assert.equal(await response.text(), `{"tasks":[${tasks}],"next_cursor":null}`)
    })

    it("tells the prompt of each task where it is asked for, and null where there is none", async () => {
      await using world = await open(kind)
      const [first, second] = [taskId(1), taskId(2)].map((id) => world.fake.put(toTask(id)).id)
      const prompt = 'a "lighthouse"\u0000 in fog \ud83d'
      world.fake.prompts.set(first ?? "", prompt)
      const plain = await (await world.call("/v1/tasks")).text()
      assert.equal(plain.includes('"prompt"'), false)
      const { tasks } = (await (await world.call("/v1/tasks?include=prompt")).json()) as {
        readonly tasks: readonly { readonly task_id: string; readonly prompt: string | null }[]
      }
      assert.deepEqual(
        tasks.map(({ task_id: id, prompt: shown }) => [id, shown]),
        [
          [second, null],
          [first, prompt],
        ],
      )
      assert.deepEqual(
        tasks.map((task) => ({ ...task, prompt: undefined })),
        JSON.parse(plain).tasks.map((task: object) => ({ ...task, prompt: undefined })),
      )
      assert.equal(world.fake.listed[0]?.withPrompts, undefined)
      const refused = await world.call("/v1/tasks?include=all")
      assert.equal(refused.status, 400)
    })

    it("is an empty list where the account has no task", async () => {
      await using world = await open(kind)
      assert.deepEqual(await list(world), { tasks: [], next_cursor: null })
    })

    it("goes on behind a cursor to a last page without one", async () => {
      await using world = await open(kind)
      for (let number = 0; number < 5; number += 1) world.fake.put(toTask(taskId(number)))
      const seen: string[] = []
      const sizes: number[] = []
      for (let cursor: string | null = ""; cursor !== null;) {
        const { tasks, next_cursor } = await list(world, `?limit=2${cursor && `&cursor=${cursor}`}`)
        seen.push(...tasks.map(({ task_id }) => task_id))
        sizes.push(tasks.length)
        cursor = next_cursor
      }
      assert.deepEqual(seen, [4, 3, 2, 1, 0].map(taskId))
      assert.deepEqual(sizes, [2, 2, 1])
    })

    it("answers HEAD as GET without the body", async () => {
      await using world = await open(kind)
      world.fake.put(toTask(taskId(1), { model: "ä" }))
      for (const query of ["", "?limit=0"]) {
        const got = await world.call(`/v1/tasks${query}`)
        const head = await world.call(`/v1/tasks${query}`, { method: "HEAD" })
        assert.equal(await head.text(), "")
        assert.equal(head.status, got.status)
        const length = Buffer.byteLength(await got.text())
        assert.equal(head.headers.get("content-length"), String(length))
        assert.equal(head.headers.get("cache-control"), "no-store")
      }
    })
  })
}

describe("a query", () => {
  it("without parameters asks for the caller's twenty newest tasks", async () => {
    await using world = await open()
    await list(world)
    assert.deepEqual(world.fake.listed, [{ account: "account-a", limit: 20 }])
  })

  it("asks for all that it names, moments in whole seconds", async () => {
    await using world = await open()
    const model = encodeURIComponent(VALID.model)
    const cursor = Buffer.from("1767225600900:a:é").toString("base64url")
    await list(
      world,
      `?created_after=0&created_before=253402300799&status=failed&model=${model}&limit=100&cursor=${cursor}`,
    )
    assert.deepEqual(world.fake.listed, [
      {
        account: "account-a",
        createdAfter: 0,
        createdBefore: 253_402_300_799_000,
        status: "failed",
        model: VALID.model,
        limit: 100,
        after: { createdAt: 1_767_225_600_900, id: "a:é" },
      },
    ])
  })

  const refused: readonly (readonly [
    query: string,
    code: string,
    param: string,
    words?: RegExp,
  ])[] = [
    ["limit=0", "integer_below_min_value", "limit", /at least 1\.$/],
    ["limit=101", "integer_above_max_value", "limit", /at most 100\.$/],
    ["limit=", "invalid_type", "limit"],
    ["limit=1.5", "invalid_type", "limit"],
    ["limit=1e1", "invalid_type", "limit"],
    ["limit=%2B1", "invalid_type", "limit"],
    ["limit=99999999999999999999", "integer_above_max_value", "limit"],
    ["created_after=-1", "integer_below_min_value", "created_after"],
    ["created_after=2026-01-01", "invalid_type", "created_after"],
    ["created_before=253402300800", "integer_above_max_value", "created_before"],
    ["status=done", "invalid_value", "status", /one of: queued, running, succeeded, failed\.$/],
    ["status=", "invalid_value", "status"],
    ["model=vendor-a", "invalid_value", "model", /one of: vendor-a\/v4\.1\/flash\/text-to-image, /],
    ["model=", "invalid_value", "model"],
    ["cursor=", "invalid_value", "cursor"],
    ["Limit=5", "unknown_parameter", "Limit"],
    ["__proto__=5", "unknown_parameter", "__proto__"],
    ["limit=5&limit=5", "unknown_parameter", "limit", /given once/],
    ["status[]=failed", "unknown_parameter", "status[]"],
    [`${"x".repeat(300)}=`, "unknown_parameter", `${"x".repeat(99)}…`],
  ]
  for (const [query, code, param, words = /./] of refused) {
    it(`${query.slice(0, 40)} is refused as ${code}`, async () => {
      await using world = await open()
      const error = await refuse(world, `?${query}`)
      assert.deepEqual([error["code"], error["param"]], [code, param])
      assert.equal(error["type"], "invalid_request_error")
      assert.match(String(error["message"]), words)
    })
  }

  it("with a cursor that was not made here is refused before the service is asked", async () => {
    await using world = await open()
    const position = `1767225600900:${taskId(1)}`
    const right = encode(position)
    const wrong = [
      "x",
      "null",
      right.slice(0, -1),
      `${right}=`,
      `${right}%20`,
      `%00${right}`,
      encode(taskId(1)),
      encode(`:${taskId(1)}`),
      encode("1767225600900:"),
      encode(`0${position}`),
      encode(`-${position}`),
      encode(`1e3:${taskId(1)}`),
      encode(`9007199254740992:${taskId(1)}`),
      encode("1:a\0b"),
      encode(`1:${"x".repeat(201)}`),
      Buffer.from([0x31, 0x3a, 0xff]).toString("base64url"),
    ]
    for (const cursor of wrong) {
      const error = await refuse(world, `?cursor=${cursor}`)
      assert.deepEqual([error["code"], error["param"]], ["invalid_value", "cursor"], cursor)
    }
    assert.deepEqual(world.fake.listed, [])
    await list(world, `?cursor=${right}`)
  })

  it("is told of everything wrong with it", async () => {
    await using world = await open()
    const error = await refuse(world, "?limit=x&since=1&status=x")
    const details = error["details"] as { param: string }[]
    assert.deepEqual(
      details.map(({ param }) => param),
      ["since", "status", "limit"],
    )
  })

  it("is looked at only once the key and its scope are right", async () => {
    await using world = await open()
    const key = world.keys.add({ scopes: ["tasks:write", "artifacts:read"] })
    const headers = { authorization: `Bearer ${key}` }
    assert.equal((await world.bare("/v1/tasks?limit=x")).status, 401)
    assert.equal((await world.bare("/v1/tasks?limit=x", { headers })).status, 403)
    assert.deepEqual(world.fake.listed, [])
  })

  it("of a database that fails is answered 503, to be tried again", async () => {
    await using world = await open()
    world.fake.fail(outside("storage-unavailable"))
    const response = await world.call("/v1/tasks")
    assert.equal(response.status, 503)
    assert.notEqual(response.headers.get("retry-after"), null)
  })
})

function encode(text: string): string {
  return Buffer.from(text).toString("base64url")
}

async function open(kind: (typeof WORLDS)[number] = "in process") {
  const world = await createWorld(kind)
  return { ...world, [Symbol.asyncDispose]: world.close }
}

async function list(world: World, query = ""): Promise<Listed> {
  const response = await world.call(`/v1/tasks${query}`)
  const body = await response.json()
  assert.equal(response.status, 200, JSON.stringify(body))
  return body as Listed
}

async function refuse(world: World, query: string): Promise<Record<string, unknown>> {
  const response = await world.call(`/v1/tasks${query}`)
  assert.equal(response.status, 400, query)
  return ((await response.json()) as { error: Record<string, unknown> }).error
}
