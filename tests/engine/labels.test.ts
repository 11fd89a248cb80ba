/** Labels of tasks: stored with the submission, kept with the bill, erased on request, and in no event. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Labels } from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { completed, createScene, type Scene } from "./support.ts"

const REQUEST = { account: "ada", model: "model-a", parameters: { prompt: "fog" } }
const LABELS = { project: "spring", team: "a" }

async function submit({ engine }: Scene, labels?: Labels): Promise<string> {
  const result = await engine.submit({ ...REQUEST, ...(labels && { labels }) })
  assert.ok(result.kind === "submitted", JSON.stringify(result))
  return result.task.id
}

describe("labels", () => {
  it("are read back, found by, and added up by; and no event or row of the task holds them", async () => {
    const submits = [completed(), completed()]
    const scene = createScene({ channels: [createScriptedChannel({ submits })] })
    const id = await submit(scene, LABELS)
    await scene.engine.finished(id)
    await scene.engine.finished(await submit(scene))
    assert.deepEqual((await scene.engine.findUsage({ account: "ada", id }))?.labels, LABELS)
    const labels = { team: "a" }
    const listed = await scene.engine.listTasks({ account: "ada", limit: 5, labels })
    assert.ok(listed.kind === "listed")
    assert.deepEqual(
      listed.tasks.map((task) => task.id),
      [id],
    )
    const to = scene.clock.now() + 1
    const { charges } = await scene.engine.sumUsage({ account: "ada", from: 0, to, labels })
    assert.equal(charges[0]?.tasks, 1)
    const { streams } = await scene.storage.scan({ after: "", limit: 10 })
    assert.ok(!JSON.stringify(streams).includes("spring"))
  })

  it("of a submission without any are no part of its append", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const appends: unknown[] = []
    const { admit } = scene.storage
    Object.assign(scene.storage, {
      admit: (request: Parameters<typeof admit>[0]) => {
        appends.push("labels" in request.append)
        return admit(request)
      },
    })
    await submit(scene)
    await submit(scene, LABELS)
    assert.deepEqual(appends, [false, true])
  })

  it("outlive the prompt, so that sums by label stay; whoever erases the task erases them", async () => {
    const submits = [completed(), completed()]
    const settings = { inputRetentionMs: 5_000 }
    const scene = createScene({ channels: [createScriptedChannel({ submits })], settings })
    const [erased, kept] = [await submit(scene, LABELS), await submit(scene, LABELS)]
    for (const id of [erased, kept]) await scene.engine.finished(id)
    const to = scene.clock.now() + 1
    const count = async (): Promise<number> => {
      const request = { account: "ada", from: 0, to, labels: LABELS }
      const { charges } = await scene.engine.sumUsage(request)
      return charges.reduce((sum, { tasks }) => sum + tasks, 0)
    }
    assert.equal(await count(), 2)
    const { erased: forgotten } = await scene.engine.sweep(scene.clock.now() + 6_000)
    assert.deepEqual([forgotten, scene.storage.inputs.size], [2, 0])
    assert.equal(await count(), 2)
    assert.equal(await scene.engine.erase({ account: "ada", id: erased }), true)
    assert.deepEqual(await scene.storage.readLabels(erased), {})
    assert.deepEqual(await scene.storage.readLabels(kept), LABELS)
    assert.equal(await count(), 1)
  })

  it("of a replay change nothing", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const idempotency = { key: "order-7", fingerprint: "ab".repeat(32) }
    const first = await scene.engine.submit({ ...REQUEST, idempotency, labels: LABELS })
    const second = await scene.engine.submit({ ...REQUEST, idempotency, labels: { other: "b" } })
    assert.ok(first.kind === "submitted" && second.kind === "submitted")
    assert.deepEqual([second.task.id, second.isReplayed], [first.task.id, true])
    assert.deepEqual(await scene.storage.readLabels(first.task.id), LABELS)
  })

  const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`k${index}`, ""]))
  for (const [name, labels] of Object.entries({
    "more than ten": eleven,
    "a key with capitals": { Project: "a" },
    "an empty key": { "": "a" },
    "a value of more than 200 characters": { k: "v".repeat(201) },
    "a value with a line break": { k: "a\nb" },
    "a value that is no text": { k: 7 as unknown as string },
  })) {
    it(`are refused: ${name}`, async () => {
      const scene = createScene({ channels: [createScriptedChannel()] })
      const result = await scene.engine.submit({ ...REQUEST, labels })
      assert.ok(result.kind === "rejected")
      assert.equal(result.rejection.code, "invalid-labels")
      assert.equal(scene.storage.events.size, 0)
    })
  }
})
