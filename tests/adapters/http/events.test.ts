/** What happened to a task, as its account may see it. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { toTaskFailure, type TaskEvent } from "@safelight/core"
import { taskId, toTask } from "./fake-service.ts"
import { createWorld, WORLDS } from "./worlds.ts"

const AT = 1_767_225_600_123
const SECRET = "kept from clients"
const SHA256 = "0".repeat(64)

/** Each with what is shown of it beside its place, its type and its moment. */
const EVENTS: readonly (readonly [TaskEvent, object])[] = [
  [
    {
      type: "submitted",
      at: AT,
      data: {
        account: SECRET,
        commitment: SHA256,
        endBy: AT + 1,
        maxAttempts: 5,
        model: "model-a",
        parameters: { size: SECRET },
        priceVersion: SECRET,
        reservationMicros: 7,
      },
    },
    { model: "model-a", reserved_micros: 7, end_by_ms: AT + 1 },
  ],
  [
    {
      type: "dispatched",
      at: AT,
      data: {
        attempt: 1,
        because: "tier 1",
        channel: "fal",
        lease: SECRET,
        sendBefore: AT,
        upstreamKey: SECRET,
      },
    },
    { attempt: 1, channel: "fal", because: "tier 1" },
  ],
  [{ type: "doubted", at: AT, data: { code: "caller-lost" } }, { reason: "caller-lost" }],
  [
    {
      type: "deferred",
      at: AT,
      data: { cost: "none", isRefusal: false, reason: "busy", retryAt: AT + 5 },
    },
    { reason: "busy", retry_at_ms: AT + 5 },
  ],
  [
    {
      type: "deferred",
      at: AT,
      data: { cost: "none", isRefusal: false, reason: "provider_out_of_money", retryAt: AT + 5 },
    },
    { reason: "provider_unavailable", retry_at_ms: AT + 5 },
  ],
  [{ type: "accepted", at: AT, data: { operation: { id: SECRET } } }, {}],
  [{ type: "progressed", at: AT, data: { progress: 40 } }, { progress: 40 }],
  [
    {
      type: "succeeded",
      at: AT,
      data: {
        artifacts: [
          {
            bytes: 1,
            durationMs: null,
            expiresAt: AT,
            key: "image_1",
            locator: SECRET,
            mimeType: "image/png",
            sha256: SHA256,
            type: "image",
          },
        ],
        chargeMicros: 9,
        cost: { computedMicros: 1_234_567, told: { micros: 7_654_321, unit: SECRET } },
        usage: { images: 1, inputVideosMs: [], outputVideoMs: 0 },
      },
    },
    { charge_micros: 9, artifact_keys: ["image_1"] },
  ],
  [
    {
      type: "failed",
      at: AT,
      data: { chargeMicros: 0, cost: "unknown", error: toTaskFailure("no_output"), usage: null },
    },
    { charge_micros: 0, error: toTaskFailure("no_output") },
  ],
  [{ type: "expired", at: AT, data: { keys: ["image_1"] } }, { artifact_keys: ["image_1"] }],
]

for (const kind of WORLDS) {
  describe(`a task's events, ${kind}`, () => {
    it("are shown in their order, without what is the operator's", async () => {
      await using world = await createWorld(kind)
      const { id } = world.fake.put(toTask(taskId(3)))
      const events = EVENTS.map(([event]) => event)
      world.fake.events.set(id, events)
      const response = await world.call(`/v1/tasks/${id}/events`)
      assert.equal(response.status, 200)
      const text = await response.text()
      assert.equal(text.includes(SECRET), false)
      const shown = EVENTS.map(([{ type }, members], index) => {
        return { version: index + 1, type, at_ms: AT, ...members }
      })
      assert.deepEqual(JSON.parse(text), { task_id: id, events: shown, next_cursor: null })
    })

    it("are shown in pages of up to 1,000, each with a cursor for the next", async () => {
      await using world = await createWorld(kind)
      const { id } = world.fake.put(toTask(taskId(3)))
      const [event] = EVENTS[0] ?? assert.fail()
      world.fake.events.set(
        id,
        Array.from({ length: 1_003 }, () => event),
      )
      async function read(query: string): Promise<[versions: number[], cursor: string | null]> {
        const response = await world.call(`/v1/tasks/${id}/events${query}`)
        const page = (await response.json()) as {
          events: { version: number }[]
          next_cursor: string | null
        }
        return [page.events.map(({ version }) => version), page.next_cursor]
      }
      const toVersions = (from: number, to: number) =>
        Array.from({ length: to - from + 1 }, (_, index) => from + index)
      const [first, behind] = await read("")
      assert.deepEqual(first, toVersions(1, 1_000))
      assert.deepEqual(await read(`?cursor=${behind}`), [toVersions(1_001, 1_003), null])
      const [few, more] = await read("?limit=2")
      assert.deepEqual(few, [1, 2])
      assert.deepEqual((await read(`?limit=2&cursor=${more}`))[0], [3, 4])
    })

    it("refuse a page that there can't be, by the parameter's name", async () => {
      await using world = await createWorld(kind)
      const { id } = world.fake.put(toTask(taskId(3)))
      for (const [query, param] of [
        ["limit=0", "limit"],
        ["limit=1001", "limit"],
        ["cursor=none", "cursor"],
        ["after=1", "after"],
      ]) {
        const response = await world.call(`/v1/tasks/${id}/events?${query}`)
        const { error } = (await response.json()) as { error: { param: string } }
        assert.deepEqual([response.status, error.param], [400, param])
      }
    })

    it("of another account's task, or of none, are as unknown as the task", async () => {
      await using world = await createWorld(kind)
      const { id } = world.fake.put(toTask(taskId(3), { account: "another" }))
      for (const unknown of [id, taskId(4), "x"]) {
        const response = await world.call(`/v1/tasks/${unknown}/events`)
        const { error } = (await response.json()) as { error: { code: string } }
        assert.deepEqual([response.status, error.code], [404, "task_not_found"])
      }
    })
  })
}
