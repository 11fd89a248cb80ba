/** The tasks of all accounts by HTTP: what an operator is shown of them, and how a doubt is settled. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { IN_DOUBT, RUNNING, UNKNOWN } from "./fake-operator-tasks.ts"
import { createWorld } from "./worlds.ts"

const TASKS = "/v1/admin/tasks"

interface Answer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

async function create() {
  const world = await createWorld("in process")
  const authorization = `Bearer ${world.keys.add({ scopes: ["admin"] })}`
  async function ask(path: string, method = "GET", body?: object): Promise<Answer> {
    const headers = { authorization, ...(body && { "content-type": "application/json" }) }
    const sent = body && { body: JSON.stringify(body) }
    const response = await world.bare(path, { method, headers, ...sent })
    return { status: response.status, body: (await response.json()) as Answer["body"] }
  }
  return { ...world, ask }
}

const toError = ({ status, body }: Answer): readonly unknown[] => {
  const { code, param } = body["error"] as { readonly code: string; readonly param?: string }
  return [status, code, param]
}

describe("an operator's tasks", () => {
  it("are listed of all accounts, and by what is asked", async () => {
    const { ask, operator } = await create()
    const { body } = await ask(`${TASKS}?status=queued&limit=3`)
    const [task] = body["tasks"] as Record<string, unknown>[]
    assert.deepEqual([task?.["account"], task?.["task_id"]], ["account-b", RUNNING])
    const cursor = String(body["next_cursor"])
    await ask(`${TASKS}?account=acme&model=model-a&created_after=5&label=a%3Db&cursor=${cursor}`)
    assert.deepEqual(operator.asked, [
      { limit: 3, status: "queued" },
      {
        account: "acme",
        after: { createdAt: 0, id: RUNNING },
        createdAfter: 5_000,
        labels: { a: "b" },
        limit: 20,
        model: "model-a",
      },
    ])
  })

  it("need an account for its labels and moments, and a model that there is", async () => {
    const { ask } = await create()
    for (const [query, param] of [
      ["created_after=1", "created_after"],
      ["created_before=1", "created_before"],
      ["label=a%3Db", "label"],
      ["model=model-x", "model"],
    ]) {
      assert.deepEqual(toError(await ask(`${TASKS}?${query}`)), [400, "invalid_value", param])
    }
  })

  it("are shown one by one, with what hashes cover", async () => {
    const { ask, operator } = await create()
    const { body } = await ask(`${TASKS}/${RUNNING}`)
    assert.deepEqual([body["account"], body["task_id"]], ["account-b", RUNNING])
    const { body: log } = await ask(`${TASKS}/${RUNNING}/events`)
    const cursor = log["next_cursor"]
    assert.equal(typeof cursor, "string")
    assert.deepEqual(log, {
      task_id: RUNNING,
      events: [
        {
          at: 1_767_225_600_900,
          data: "{}",
          hash: "ab".repeat(32),
          schema: 2,
          sealed: '{"operation":7,"salt":"saltsaltsaltsaltsaltsa"}',
          task: RUNNING,
          type: "accepted",
          version: 4,
        },
      ],
      next_cursor: cursor,
    })
    await ask(`${TASKS}/${RUNNING}/events?limit=5&cursor=${String(cursor)}`)
    assert.deepEqual(operator.asked.at(-1), ["events", RUNNING, { after: 4, limit: 5 }])
    for (const path of [UNKNOWN, "nothing", `${UNKNOWN}/events`, "nothing/events"]) {
      const refused = toError(await ask(`${TASKS}/${path}`))
      assert.deepEqual(refused, [404, "task_not_found", undefined])
    }
  })

  it("are cancelled as their account would", async () => {
    const { ask, operator } = await create()
    const { body } = await ask(`${TASKS}/${RUNNING}/cancel`, "POST")
    assert.equal(body["outcome"], "too_late")
    assert.deepEqual(operator.asked, [["cancel", RUNNING]])
    const refused = toError(await ask(`${TASKS}/${UNKNOWN}/cancel`, "POST"))
    assert.deepEqual(refused, [404, "task_not_found", undefined])
  })

  it("are settled if they are in doubt, by one verdict", async () => {
    const { ask, operator } = await create()
    const settle = (id: string, body: object) => ask(`${TASKS}/${id}/resolve`, "POST", body)
    assert.equal((await settle(IN_DOUBT, { adopt: "op-1" })).body["task_id"], IN_DOUBT)
    assert.equal((await settle(IN_DOUBT, { fail: true })).status, 200)
    assert.deepEqual(operator.asked, [
      { task: IN_DOUBT, adopt: "op-1" },
      { task: IN_DOUBT, fail: true },
    ])
    for (const [id, body, expected] of [
      [RUNNING, { fail: true }, [409, "task_not_in_doubt", undefined]],
      [UNKNOWN, { fail: true }, [404, "task_not_found", undefined]],
      ["nothing", { fail: true }, [404, "task_not_found", undefined]],
      [IN_DOUBT, {}, [400, "missing_required_parameter", "adopt"]],
      [IN_DOUBT, { adopt: "op", fail: true }, [400, "invalid_value", "fail"]],
      [IN_DOUBT, { adopt: "{" }, [400, "invalid_value", "adopt"]],
    ] as const) {
      assert.deepEqual(toError(await settle(id, body)), expected)
    }
  })
})
