/** Handing over: a submission goes straight to a free permit, beside the queue. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createManualClock,
  createScriptedChannel,
  createMemoryStorage,
  type MemoryStorage,
} from "@safelight/testkit"
import { completed, createScene, type Scene } from "./support.ts"

/** No end of a call comes at the moment of a look, each second. */
const CALL_MS = 90

/** A channel whose calls take a while, and the tasks it was asked for in order. */
function createSlow(concurrency: number): {
  readonly scene: Scene
  readonly started: string[]
  readonly storage: MemoryStorage
} {
  const started: string[] = []
  const clock = createManualClock()
  const storage = createMemoryStorage()
  const channel = createScriptedChannel({
    concurrency,
    submits: Array.from({ length: 100 }, () => async ({ task }: { readonly task: string }) => {
      started.push(task)
      await clock.wait(CALL_MS)
      return completed()
    }),
  })
  const scene = createScene({ channels: [channel], clock, storage, isStarted: false })
  return { scene, started, storage }
}

/** Has takings wait, once they are on their way, until the function that it gives is called. */
function holdTakings(storage: MemoryStorage): () => void {
  const { take } = storage
  const held = Promise.withResolvers<void>()
  storage.take = async (request) => {
    await held.promise
    return take(request)
  }
  return held.resolve
}

async function submitMany(scene: Pick<Scene, "submit">, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made += 1) ids.push((await scene.submit()).id)
  return ids
}

/** The queue holds these, and they are just being taken. */
async function beginTaking(slow: ReturnType<typeof createSlow>, count: number) {
  const waiting = await submitMany(slow.scene, count)
  const letGo = holdTakings(slow.storage)
  slow.scene.engine.start()
  await slow.scene.clock.advance(0)
  return { waiting, letGo }
}

describe("a submission", () => {
  it("does not queue behind tasks that all get a permit", async () => {
    const slow = createSlow(8)
    const { scene, started } = slow
    const { waiting, letGo } = await beginTaking(slow, 3)
    const handedOver = await submitMany(scene, 5)
    await scene.clock.advance(0)
    assert.deepEqual(started, handedOver)
    letGo()
    await scene.clock.advance(0)
    assert.deepEqual(started.toSorted(), [...handedOver, ...waiting].toSorted())
    await scene.clock.advance(CALL_MS)
    assert.deepEqual(
      new Set(started.flatMap((id) => scene.story(id).at(-1))),
      new Set(["succeeded"]),
    )
  })

  it("leaves the permits that tasks which are being taken will need", async () => {
    const slow = createSlow(4)
    const { scene, started } = slow
    const { waiting, letGo } = await beginTaking(slow, 3)
    const [first = "", second = ""] = await submitMany(scene, 2)
    await scene.clock.advance(0)
    assert.deepEqual(started, [first])
    letGo()
    await scene.clock.advance(0)
    assert.deepEqual(started, [first, ...waiting])
    await scene.clock.advance(CALL_MS)
    assert.deepEqual(started.at(-1), second)
  })

  it("queues while more wait than there are permits", async () => {
    const slow = createSlow(4)
    const { scene, started } = slow
    const { waiting, letGo } = await beginTaking(slow, 5)
    const [last] = await submitMany(scene, 1)
    await scene.clock.advance(0)
    assert.deepEqual(started, [])
    letGo()
    await scene.clock.advance(CALL_MS)
    assert.deepEqual(started, [...waiting, last])
  })

  it("by whoever hears of a task's end finds its permit free, and asks the storage nothing more", async () => {
    const { scene, started, storage } = createSlow(1)
    scene.engine.start()
    await scene.clock.advance(0)
    const asked: string[] = []
    for (const name of ["take", "readTask"] as const) {
      const method = storage[name] as (request: never) => Promise<never>
      storage[name] = (request: never) => {
        asked.push(name)
        return method(request)
      }
    }
    let next = scene.submit()
    for (let round = 0; round < 20; round += 1) {
      const { id } = await next
      next = scene.engine.finished(id).then((task) => {
        assert.equal(task?.state, "succeeded.available")
        return scene.submit()
      })
      await scene.clock.advance(CALL_MS)
    }
    await next
    assert.equal(started.length, 21)
    assert.deepEqual(asked, [])
  })
})
