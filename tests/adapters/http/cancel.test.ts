/** POST /v1/tasks/{task_id}/cancel: what the service says, in the API's words. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { putArtifact, taskId, toTask } from "./fake-service.ts"
import { createWorld, WORLDS } from "./worlds.ts"

const POST = { method: "POST" } as const

for (const kind of WORLDS) {
  describe(`a cancellation, ${kind}`, () => {
    it("shows the task, what came of it and what it cost", async (t) => {
      const world = await createWorld(kind)
      t.after(world.close)
      const task = world.fake.put(
        toTask(taskId(7), { state: "failed", finishedAt: 1_000, reservationMicros: 500 }),
      )
      const answer = await world.call(`/v1/tasks/${task.id}/cancel`, POST)
      assert.equal(answer.status, 200)
      const { task: shown, ...more } = (await answer.json()) as Record<string, unknown>
      assert.deepEqual(more, { outcome: "stopped", charge_micros: 0, charge_limit_micros: 0 })
      const got = await world.call(`/v1/tasks/${task.id}`)
      assert.deepEqual(shown, await got.json())
      assert.deepEqual(world.fake.cancelled, [task.id])
    })

    it("says what a task may cost that goes on, and what one has cost that was done", async (t) => {
      const world = await createWorld(kind)
      t.after(world.close)
      world.fake.setCancelOutcome("too-late")
      const { id } = world.fake.put(
        toTask(taskId(7), { state: "running", attempt: 1, reservationMicros: 500 }),
      )
      const going = await world.call(`/v1/tasks/${id}/cancel`, POST)
      const { task: _going, ...limited } = (await going.json()) as Record<string, unknown>
      assert.deepEqual(limited, {
        outcome: "too_late",
        charge_micros: null,
        charge_limit_micros: 500,
      })
      const done = putArtifact(world.fake, new Uint8Array(1), { id: taskId(8) })
      world.fake.put({ ...done, chargeMicros: 400, reservationMicros: 500 })
      const late = await world.call(`/v1/tasks/${done.id}/cancel`, POST)
      const { task: _late, ...charged } = (await late.json()) as Record<string, unknown>
      assert.deepEqual(charged, {
        outcome: "too_late",
        charge_micros: 400,
        charge_limit_micros: 400,
      })
    })

    it("knows no more of another account's task than of none", async (t) => {
      const world = await createWorld(kind)
      t.after(world.close)
      const other = world.fake.put(toTask(taskId(7), { account: "another" }))
      const texts = await Promise.all(
        [other.id, taskId(404), "no-id"].map(async (id) => {
          const answer = await world.call(`/v1/tasks/${id}/cancel`, POST)
          assert.equal(answer.status, 404)
          return answer.text()
        }),
      )
      assert.equal(new Set(texts).size, 1)
      assert.deepEqual(world.fake.cancelled, [])
    })

    it("takes a key that may write, no body and no parameters", async (t) => {
      const world = await createWorld(kind)
      t.after(world.close)
      const { id } = world.fake.put(toTask(taskId(7)))
      const path = `/v1/tasks/${id}/cancel`
      const reader = { authorization: `Bearer ${world.keys.add({ scopes: ["tasks:read"] })}` }
      assert.equal((await world.call(path, { ...POST, headers: reader })).status, 403)
      assert.equal((await world.call(path, { ...POST, body: "{}" })).status, 400)
      assert.equal((await world.call(`${path}?force=true`, POST)).status, 400)
      assert.equal((await world.call(path)).status, 405)
      assert.deepEqual(world.fake.cancelled, [])
    })
  })
}
