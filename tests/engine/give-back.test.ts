/** What was taken and is not carried out goes back to the queue, whatever the storage does. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError } from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { completed, createScene, type Scene, ACCEPTED } from "./support.ts"

function createLost(): SafelightError {
  const message = "the connection was lost"
  return new SafelightError({ code: "storage-unavailable", message, retryable: true })
}

async function submitFor({ engine }: Scene, account: string): Promise<string> {
  const request = { account, model: "model-a", parameters: { prompt: "p" } }
  const result = await engine.submit(request)
  assert.ok(result.kind === "submitted")
  return result.task.id
}

describe("tasks that are taken together", () => {
  /** What the second of three asks for can't be read once. */
  async function createCut(): Promise<{ readonly scene: Scene; readonly ids: readonly string[] }> {
    const submits = Array.from({ length: 3 }, () => completed())
    const channel = createScriptedChannel({ submits })
    const scene = createScene({ channels: [channel], isStarted: false })
    const { storage } = scene
    const ids: string[] = []
    for (const account of ["bob", "ada", "eve"]) ids.push(await submitFor(scene, account))
    const { readInput } = storage
    storage.readInput = (request) => {
      if (request.task !== ids[1]) return readInput(request)
      storage.readInput = readInput
      return Promise.reject(createLost())
    }
    return { scene, ids }
  }

  async function assertDone({ story }: Scene, ids: readonly string[]): Promise<void> {
    for (const id of ids) assert.deepEqual(story(id), ["submitted", "dispatched", "succeeded"])
  }

  it("are each given back where they can't be carried on, and are carried out soon after", async () => {
    const { scene, ids } = await createCut()
    scene.engine.start()
    await scene.clock.advance(5_000)
    await assertDone(scene, ids)
  })

  it("are so later, where the storage does not take them back at once", async () => {
    const { scene, ids } = await createCut()
    const { clock, engine, storage } = scene
    const { release } = storage
    storage.release = () => Promise.reject(createLost())
    engine.start()
    await clock.advance(4_000)
    const [measure] = await storage.measureQueue()
    assert.equal(measure?.held, 1)
    storage.release = release
    await clock.advance(20_000)
    await assertDone(scene, ids)
  })
})

describe("work at a channel that is not served here any more", () => {
  it("keeps no start waiting, however much of it there is", async () => {
    const running = { kind: "running", pollAfterMs: 5_000 } as const
    const gone = createScriptedChannel({
      name: "gone",
      concurrency: 4,
      submits: Array.from({ length: 4 }, () => ACCEPTED),
      polls: Array.from({ length: 100 }, () => running),
    })
    const before = createScene({ channels: [gone] })
    const { artifacts, clock, storage } = before
    await clock.advance(0)
    const orphans = [1, 2, 3, 4].map(() => before.submit())
    await clock.advance(1_000)
    await before.engine.stop()
    const submits = Array.from({ length: 20 }, () => completed())
    const channel = createScriptedChannel({ concurrency: 1, submits })
    const scene = createScene({ artifacts, channels: [channel], clock, isStarted: false, storage })
    const starts = await Promise.all(Array.from({ length: 20 }, () => scene.submit()))
    scene.engine.start()
    await clock.advance(5_000)
    for (const { id } of starts) assert.equal((await scene.read(id)).state, "succeeded.available")
    for (const { id } of await Promise.all(orphans)) {
      assert.equal((await scene.read(id)).state, "running")
    }
  })
})
