/** Waiting for tasks and listing them: when the service is asked, what is told, and when it is given up. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  ACCEPTED,
  createScriptedClient,
  createTestClock,
  ID,
  json,
  LOST,
  MODEL,
  NOW,
  page,
  PARAMETERS,
  QUEUED,
  refusal,
  SUCCEEDED,
  toTask,
  type Answer,
  fails,
} from "./scripted-client.ts"

const SHOWN = { "retry-after": "2" }
const FAILURE = {
  message: "The provider rejected the request.",
  type: "generation_error",
  code: "provider_rejected",
} as const

describe("waiting", () => {
  it("asks until the task has succeeded, in pauses that grow", async () => {
    const looks = Array.from({ length: 9 }, () => json(200, toTask("running", 10)))
    const answers = [ACCEPTED, ...looks, json(200, SUCCEEDED)]
    const { client, clock, requests } = createScriptedClient(answers)
    const task = await client.run(MODEL, PARAMETERS)
    assert.equal(task.status, "succeeded")
    const targets = requests.slice(1).map(({ method, target }) => `${method} ${target}`)
    assert.deepEqual([...new Set(targets)], [`GET /v1/tasks/${ID}`])
    const expected = [1_000, 1_500, 2_250, 3_375, 5_063, 7_594, 10_000, 10_000, 10_000]
    assert.deepEqual(clock.pausesMs, expected)
  })

  it("never asks sooner than the service says, and spreads its pauses upwards", async () => {
    const answers = [
      ACCEPTED,
      json(200, toTask("running", 10), SHOWN),
      json(200, toTask("running", 10), { "retry-after": "90" }),
      json(200, toTask("running", 10), { "retry-after": "9999" }),
      json(200, SUCCEEDED),
    ]
    const still = createScriptedClient(answers)
    await still.client.run(MODEL, PARAMETERS)
    assert.deepEqual(still.clock.pausesMs, [2_000, 90_000, 120_000])
    const spread = createScriptedClient(answers, { random: () => 0.5 })
    await spread.client.run(MODEL, PARAMETERS)
    assert.deepEqual(spread.clock.pausesMs, [2_250, 101_250, 135_000])
  })

  it("asks nothing if the task was finished when it was accepted", async () => {
    const { client, clock, requests } = createScriptedClient([json(202, SUCCEEDED)])
    assert.equal((await client.run(MODEL, PARAMETERS)).progress, 100)
    assert.equal(requests.length, 1)
    assert.deepEqual(clock.pausesMs, [])
  })

  it("tells of each change once, the first sight included", async () => {
    const seen: string[] = []
    const answers = [
      ACCEPTED,
      json(200, QUEUED),
      json(200, toTask("running", 1)),
      json(200, toTask("running", 1)),
      json(200, toTask("running", 40)),
      json(200, SUCCEEDED),
    ]
    const { client } = createScriptedClient(answers)
    const onProgress = ({ status, progress }: { status: string; progress: number }): void => {
      seen.push(`${status} ${progress}`)
    }
    await client.run(MODEL, PARAMETERS, { onProgress })
    assert.deepEqual(seen, ["queued 0", "running 1", "running 40", "succeeded 100"])
  })

  it("lasts through a service that is away, and its pages and losses", async () => {
    const away = [page(502), LOST, page(200), refusal(429, "rate_limit_exceeded"), page(503)]
    const answers = [ACCEPTED, ...away, ...away.slice(1), json(200, SUCCEEDED)]
    const { client, requests } = createScriptedClient(answers)
    assert.equal((await client.run(MODEL, PARAMETERS)).status, "succeeded")
    assert.equal(requests.length, answers.length)
  })

  it("gives up after ten failures in a row, and can be begun again", async () => {
    const away = Array.from({ length: 10 }, () => page(502))
    const { client } = createScriptedClient([ACCEPTED, ...away, json(200, SUCCEEDED)])
    const task = await client.submit(MODEL, PARAMETERS)
    const error = await fails(client.wait(task))
    assert.deepEqual(
      [error.status, error.code, error.isRetryable],
      [502, "unexpected_status", true],
    )
    assert.equal((await client.wait(task)).status, "succeeded")
  })

  it("ends at once where no waiting helps", async () => {
    for (const [status, code] of [
      [404, "task_not_found"],
      [401, "api_key_revoked"],
      [403, "insufficient_scope"],
    ] as const) {
      const { client, requests } = createScriptedClient([ACCEPTED, refusal(status, code)])
      const error = await fails(client.run(MODEL, PARAMETERS))
      assert.equal(error.code, code)
      assert.equal(requests.length, 2)
    }
  })

  it("resolves with a failed task, of which run makes an error", async () => {
    const failed = toTask("failed", 40, FAILURE)
    const { client } = createScriptedClient([ACCEPTED, json(200, failed)])
    const { status, error } = await client.wait(ID)
    assert.deepEqual({ status, error }, { status: "failed", error: FAILURE })
    const thrown = await fails(client.run(MODEL, PARAMETERS))
    const { code, type, message, task } = thrown
    assert.deepEqual({ code, type, message }, FAILURE)
    assert.equal(task?.task_id, ID)
    assert.equal(thrown.status, undefined)
  })

  it("takes an id for a task that it has not seen, and asks at once", async () => {
    const { client, clock } = createScriptedClient([json(200, SUCCEEDED)])
    assert.equal((await client.wait(ID)).status, "succeeded")
    assert.deepEqual(clock.pausesMs, [])
  })
})

describe("waiting at the service", () => {
  const APPLIED = { "preference-applied": "wait=25", "retry-after": "2" }

  /** A clock on which each answer takes so long. */
  function createTimed(answers: readonly Answer[], tookMs: number, settings = {}) {
    let now = NOW
    const clock = { ...createTestClock(), now: () => now }
    const late = answers.map((answer): Answer => (request) => {
      now += tookMs
      return answer(request)
    })
    return { ...createScriptedClient(late, { clock, settings }), clock }
  }

  const wishes = (requests: readonly { readonly headers: Headers }[]) =>
    requests.map(({ headers }) => headers.get("prefer"))

  it("asks at once again as long as the service has waited", async () => {
    const waited = json(200, toTask("running", 10), APPLIED)
    const answers = [ACCEPTED, waited, waited, json(200, SUCCEEDED, APPLIED)]
    const { client, clock, requests } = createTimed(answers, 25_000)
    assert.equal((await client.run(MODEL, PARAMETERS)).status, "succeeded")
    assert.deepEqual(clock.pausesMs, [])
    assert.deepEqual(wishes(requests), [null, "wait=25", "wait=25", "wait=25"])
  })

  it("sees progress as often as a poll does", async () => {
    const waited = json(200, toTask("running", 10), APPLIED)
    const answers = [ACCEPTED, ...Array.from({ length: 7 }, () => waited), json(200, SUCCEEDED)]
    const { client, requests } = createTimed(answers, 10_000)
    await client.run(MODEL, PARAMETERS, { onProgress: () => {} })
    const expected = [1, 1, 2, 3, 5, 7, 10, 10].map((seconds) => `wait=${seconds}`)
    assert.deepEqual(wishes(requests), [null, ...expected])
  })

  it("does not believe a wait that took no time", async () => {
    const answers = [ACCEPTED, json(200, QUEUED, APPLIED), json(200, SUCCEEDED, APPLIED)]
    const { client, clock } = createTimed(answers, 10)
    await client.run(MODEL, PARAMETERS)
    assert.deepEqual(clock.pausesMs, [2_000])
  })

  it("polls once a wait was cut off", async () => {
    const running = json(200, toTask("running", 10))
    const answers = [ACCEPTED, page(504), running, running, json(200, SUCCEEDED)]
    const { client, clock, requests } = createTimed(answers, 25_000)
    await client.run(MODEL, PARAMETERS)
    assert.deepEqual(wishes(requests), [null, "wait=25", null, null, null])
    assert.deepEqual(clock.pausesMs, [250, 1_000, 1_500])
  })

  it("asks for no longer than the client's own patience allows", async () => {
    const answers = [json(200, toTask("running", 10)), json(200, SUCCEEDED)]
    for (const [longestWaitMs, wish] of [
      [4_999, "wait=4"],
      [60_000, "wait=30"],
      [999, null],
    ] as const) {
      const { client, requests } = createTimed(answers, 10, { longestWaitMs })
      await client.wait(ID)
      assert.deepEqual(wishes(requests), [wish, wish])
    }
  })
})

describe("a cancellation", () => {
  const CANCELLED = {
    outcome: "stopped",
    charge_micros: 0,
    charge_limit_micros: 0,
    task: toTask("failed", 10, FAILURE),
  }

  it("tells what came of it, and is repeated while that is unknown", async () => {
    const answers = [page(502), LOST, json(200, CANCELLED)]
    const { client, requests } = createScriptedClient(answers)
    const { outcome, charge_micros: charge, task } = await client.cancel(QUEUED)
    assert.deepEqual([outcome, charge, task.status], ["stopped", 0, "failed"])
    assert.equal(typeof task.artifact, "function")
    assert.deepEqual(
      requests.map(({ method, target }) => `${method} ${target}`),
      Array.from({ length: 3 }, () => `POST /v1/tasks/${ID}/cancel`),
    )
  })

  it("rejects with the service's refusal", async () => {
    const { client, requests } = createScriptedClient([refusal(404, "task_not_found")])
    assert.equal((await fails(client.cancel(ID))).code, "task_not_found")
    assert.equal(requests.length, 1)
  })
})

describe("a path", () => {
  it("is never made of what is no id or key", async () => {
    const { client, requests } = createScriptedClient([json(200, SUCCEEDED)])
    for (const id of ["", ".", ".."]) {
      await assert.rejects(client.get(id), { name: "TypeError" })
      await assert.rejects(client.artifacts(id), { name: "TypeError" })
      assert.throws(() => client.artifact(ID, id), { name: "TypeError" })
    }
    assert.equal(requests.length, 0)
    await client.get("../x?y#z")
    assert.equal(requests[0]?.target, "/v1/tasks/..%2Fx%3Fy%23z")
  })
})

describe("the list", () => {
  const pageOf = (cursor: string | null, ...ids: readonly string[]) =>
    json(200, {
      tasks: ids.map((id) => ({ ...QUEUED, task_id: id })),
      next_cursor: cursor,
    })

  it("runs over all pages, short and empty ones too, with the same query", async () => {
    const answers = [pageOf("a", "1", "2"), pageOf("b"), pageOf(null, "3")]
    const { client, requests } = createScriptedClient(answers)
    const ids: string[] = []
    const query = { status: "queued", limit: 2, model: undefined } as const
    for await (const { task_id: id } of client.list(query)) ids.push(id)
    assert.deepEqual(ids, ["1", "2", "3"])
    assert.deepEqual(
      requests.map(({ target }) => target),
      [
        "/v1/tasks?status=queued&limit=2",
        "/v1/tasks?status=queued&limit=2&cursor=a",
        "/v1/tasks?status=queued&limit=2&cursor=b",
      ],
    )
  })

  it("gives a single page by its cursor", async () => {
    const { client, requests } = createScriptedClient([pageOf("b", "1")])
    const { tasks, next_cursor: next } = await client.listPage({ cursor: "a", limit: 1 })
    assert.deepEqual([tasks.map(({ task_id: id }) => id), next], [["1"], "b"])
    assert.equal(requests[0]?.target, "/v1/tasks?limit=1&cursor=a")
  })

  it("fetches a page only when it is needed", async () => {
    const { client, requests } = createScriptedClient([pageOf("a", "1", "2"), pageOf(null, "3")])
    for await (const { task_id: id } of client.list()) if (id === "2") break
    assert.equal(requests.length, 1)
  })

  it("ends with an error where a page leads back to itself", async () => {
    const { client, requests } = createScriptedClient([pageOf("a", "1")])
    const all = async (): Promise<void> => {
      for await (const task of client.list()) assert.equal(task.task_id, "1")
    }
    assert.equal((await fails(all())).code, "invalid_answer")
    assert.equal(requests.length, 2)
  })
})

describe("an answer", () => {
  const calls = {
    get: "Task",
    cancel: "Cancellation",
    artifacts: "ArtifactList",
    events: "EventList",
    taskUsage: "TaskUsage",
    usage: "UsageReport",
  } as const
  const wrong = [
    "<html>",
    "null",
    "[]",
    "{}",
    '{"task_id":1}',
    '{"task_id":"a","model":"m","status":"queued","progress":0.5,"created_at":1,"finished_at":0,"error":null}',
    '{"artifacts":[{}]}',
    '{"events":{}}',
    '{"from":0,"to":1,"charge_micros":0,"tasks":0,"charges":[{"model":"m"}],"account":{"charged_micros":0,"reserved_micros":0,"unfinished_tasks":0}}',
  ]
  for (const name of Object.keys(calls) as (keyof typeof calls)[]) {
    it(`of ${name} that is not what the API promises is refused, and asked for again`, async () => {
      for (const body of wrong) {
        const { client, requests } = createScriptedClient([() => new Response(body)])
        const asked = name === "usage" ? client.usage() : client[name](ID)
        assert.equal((await fails(asked)).code, "invalid_answer", body)
        assert.equal(requests.length, 5)
      }
    })
  }

  it("without an end is left behind its bound", async () => {
    let pulled = 0
    let isCancelled = false
    const endless = () =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull(controller) {
            pulled += 1
            controller.enqueue(new Uint8Array(1_000).fill(32))
          },
          cancel() {
            isCancelled = true
          },
        }),
      )
    const { client } = createScriptedClient([endless], { settings: { answerBytes: 10_000 } })
    const error = await fails(client.get(ID))
    assert.equal(error.code, "invalid_answer")
    assert.ok(pulled <= 15, `${pulled} pieces were read`)
    assert.ok(isCancelled, "the connection was kept")
  })

  it("with an endless page behind a status that says no is left too", async () => {
    let pulled = 0
    const endless = () =>
      new Response(
        new ReadableStream<Uint8Array>({
          pull(controller) {
            pulled += 1
            controller.enqueue(new Uint8Array(10_000).fill(60))
          },
        }),
        { status: 404 },
      )
    const { client } = createScriptedClient([endless])
    assert.equal((await fails(client.get(ID))).code, "unexpected_status")
    assert.ok(pulled <= 10, `${pulled} pieces were read`)
  })
})
