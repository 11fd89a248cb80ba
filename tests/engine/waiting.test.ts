/** Waiting for a task's end, and an engine's own. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isSafelightError, SafelightError, type Channel } from "@safelight/core"
import { createEngine } from "@safelight/engine"
import {
  createManualClock,
  createScriptedChannel,
  createMemoryArtifacts,
  createMemoryStorage,
} from "@safelight/testkit"
import { completed, createScene, MODEL, PRICES, SETTINGS } from "./support.ts"

describe("whoever waits for a task's end", () => {
  it("is told at once where the signal was aborted before", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const { id } = await scene.submit()
    const signal = AbortSignal.abort()
    // No time passes.
    await assert.rejects(
      scene.engine.finished(id, { signal }),
      (error) => isSafelightError(error) && error.code === "aborted",
    )
  })

  it("is told at once where the signal aborts while the storage hangs", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    scene.storage.readTask = () => new Promise(() => {})
    const controller = new AbortController()
    const waiting = scene.engine.finished("some-task", { signal: controller.signal })
    controller.abort()
    await assert.rejects(waiting, { code: "aborted" })
  })

  it("asks the storage nothing while the task is worked on here", async () => {
    const channel = createScriptedChannel({
      submits: [{ kind: "accepted", operation: 1 }],
      polls: [{ kind: "running", pollAfterMs: 60_000 }, completed()],
    })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const { id } = await scene.submit()
    const { readTask } = scene.storage
    let reads = 0
    scene.storage.readTask = (task) => {
      reads += 1
      return readTask(task)
    }
    const waiting = [1, 2, 3].map(() => scene.engine.finished(id))
    await scene.clock.advance(59_000)
    assert.equal(reads, 0)
    await scene.clock.advance(10_000)
    for (const task of await Promise.all(waiting)) {
      assert.equal(task?.state, "succeeded.available")
    }
  })

  it("looks at the storage together with all others that wait", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const { id } = await scene.submit()
    const looks: number[] = []
    const { readTask } = scene.storage
    scene.storage.readTask = (task) => {
      looks.push(scene.clock.monotonicNow())
      return readTask(task)
    }
    const over = new AbortController()
    const waiting: Promise<unknown>[] = []
    for (let begun = 0; begun < 3; begun += 1) {
      waiting.push(scene.engine.finished(id, { signal: over.signal }))
      await scene.clock.advance(SETTINGS.idlePollMs / 4)
    }
    looks.length = 0
    await scene.clock.advance(SETTINGS.idlePollMs)
    assert.equal(looks.length, 3)
    assert.equal(new Set(looks).size, 1)
    over.abort()
    await Promise.allSettled(waiting)
  })

  it("hears of a doubt that an operator gives up, from this engine at once", async () => {
    const channel = createScriptedChannel({ submits: [{ kind: "lost", operation: 1 }] })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const { id } = await scene.submit()
    await scene.clock.advance(500)
    const finished = scene.engine.finished(id)
    await scene.clock.advance(1)
    await scene.engine.resolve({ task: id, fail: true })
    // No time passes until it is told.
    assert.equal((await finished)?.error?.code, "upstream_outcome_unknown")
  })
})

describe("an engine", () => {
  it("that is stopped twice does nothing the second time, though its storage is closed", async () => {
    const lines: string[] = []
    const record = (_fields: object, message: string) => void lines.push(message)
    const storage = createMemoryStorage()
    let calls = 0
    {
      await using engine = createEngine({
        storage,
        artifacts: createMemoryArtifacts(),
        clock: createManualClock(),
        channels: [createScriptedChannel()],
        models: [MODEL],
        prices: PRICES,
        settings: SETTINGS,
        log: { info: record, warn: record, error: record },
      })
      engine.start()
      await engine.stop()
      const closed = (): never => {
        calls += 1
        throw new SafelightError({ code: "storage-unavailable", message: "closed" })
      }
      Object.assign(storage, {
        release: closed,
        heartbeat: closed,
        expire: closed,
        listLeases: closed,
      })
    }
    assert.deepEqual([calls, lines], [0, []])
  })

  it("is not made from a channel whose concurrency is no positive integer, which is named", () => {
    for (const concurrency of [0, -1, 1.5, Number.POSITIVE_INFINITY, Number.NaN]) {
      const channel: Channel = { ...createScriptedChannel({ name: "odd" }), concurrency }
      assert.throws(
        () => createScene({ channels: [{ channel }] }),
        (error) =>
          isSafelightError(error) &&
          error.code === "invalid-configuration" &&
          error.message ===
            `channel odd needs a concurrency that is a positive integer, and not ${concurrency}`,
      )
    }
  })
})

it("a submission that surely was not stored leaves nothing to give back", async () => {
  const scene = createScene({ channels: [createScriptedChannel({ submits: [completed()] })] })
  await scene.clock.advance(0)
  const { admit } = scene.storage
  const releases: unknown[] = []
  scene.storage.release = async (request) => void releases.push(request)
  scene.storage.admit = () => {
    const options = {
      code: "overloaded",
      message: "full",
      retryable: true,
      isUndone: true,
    } as const
    return Promise.reject(new SafelightError(options))
  }
  for (let times = 0; times < 20; times += 1) {
    await assert.rejects(scene.submit(), (error) => isSafelightError(error))
  }
  assert.deepEqual(releases, [])
  // Its slots are all there again.
  scene.storage.admit = admit
  const { id } = await scene.submit()
  await scene.clock.advance(1)
  assert.equal((await scene.read(id)).state, "succeeded.available")
})
