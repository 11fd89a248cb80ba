/** Two releases on one database: each finds tasks whose rows the other one projected. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { PROJECTION, toCanonicalJson, type Task } from "@safelight/core"
import { createScriptedChannel, createMemoryStorage, type MemoryStorage } from "@safelight/testkit"
import { completed, createScene } from "./support.ts"

/** A later release: what it made of an event is nothing that this one could go by. */
async function projectElsewhere(storage: MemoryStorage): Promise<void> {
  const { streams } = await storage.scan({ after: "", limit: 100 })
  for (const { row } of streams) {
    assert.ok(row !== undefined)
    const { id } = JSON.parse(row.snapshot) as Task
    const snapshot = toCanonicalJson({ id, projection: PROJECTION + 1, phases: [] })
    await storage.replaceTaskRow({ ...row, snapshot })
  }
}

/** Every row that is written is that of another release at once. */
function createOtherStorage(): MemoryStorage {
  const storage = createMemoryStorage()
  const { admit, append } = storage
  storage.append = async (request) => {
    await append(request)
    await projectElsewhere(storage)
  }
  storage.admit = async (request) => {
    const admission = await admit(request)
    await projectElsewhere(storage)
    return admission
  }
  return storage
}

describe("a task whose row another release projected", () => {
  it("is read, listed and shown as its events say", async () => {
    const scene = createScene({ channels: [createScriptedChannel({ submits: [completed()] })] })
    const { id } = await scene.submit()
    await scene.clock.advance(1_000)
    const before = await scene.engine.findTask({ account: "ada", id })
    assert.equal(before?.state, "succeeded.available")
    await projectElsewhere(scene.storage)
    assert.deepEqual(await scene.engine.findTask({ account: "ada", id }), before)
    const listed = await scene.engine.listTasks({ account: "ada", limit: 10 })
    assert.deepEqual(listed, { kind: "listed", tasks: [before], next: null })
  })

  it("is carried out to its end, and swept, by a release that can't read one row", async () => {
    const channel = createScriptedChannel({
      submits: [{ kind: "accepted", operation: { id: 7 } }],
      polls: [{ kind: "running", pollAfterMs: 1_000 }, completed()],
    })
    const scene = createScene({
      channels: [channel],
      settings: { retentionMs: 90_000 },
      storage: createOtherStorage(),
    })
    const { id } = await scene.submit()
    await scene.clock.advance(60_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "accepted", "succeeded"])
    assert.equal(channel.created.length, 1)
    await scene.clock.advance(60_000)
    await scene.engine.sweep()
    assert.equal(scene.story(id).at(-1), "expired")
  })

  it("is taken from the queue by another process", async () => {
    const storage = createOtherStorage()
    const submitting = createScene({ channels: [], storage, queueUnavailable: true })
    const { id } = await submitting.submit()
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel], storage, clock: submitting.clock })
    await submitting.clock.advance(60_000)
    assert.equal(scene.story(id).at(-1), "succeeded")
  })
})
