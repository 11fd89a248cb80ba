/** What time does: deadlines, expiry, removal of bytes, orphans; and stopping in the midst of it. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createScriptedChannel } from "@safelight/testkit"
import { completed, createScene, type Scene } from "./support.ts"

const DAY_MS = 86_400_000

async function createFinished(): Promise<{ scene: Scene; id: string }> {
  const scene = createScene({ channels: [createScriptedChannel({ submits: [completed()] })] })
  const { id } = await scene.submit()
  await scene.engine.finished(id)
  return { scene, id }
}

describe("a sweep", () => {
  it("fails what is past its end, also where every channel is full", async () => {
    const never = (): Promise<never> => new Promise(() => {})
    const channel = createScriptedChannel({ concurrency: 1, submits: [never, never] })
    const scene = createScene({ channels: [channel], isStarted: false })
    const tasks = [await scene.submit(), await scene.submit()]
    const early = await scene.engine.sweep(scene.clock.now() + 599_999)
    assert.equal(early.timedOut, 0)
    const report = await scene.engine.sweep(scene.clock.now() + 600_000)
    assert.equal(report.timedOut, 2)
    for (const { id } of tasks) {
      assert.equal((await scene.read(id)).error?.code, "provider_unavailable")
      assert.equal((await scene.read(id)).progress, 0)
    }
  })

  it("records the expiry when the last artifact's time has passed, and not before", async () => {
    const { scene, id } = await createFinished()
    const { finishedAt } = await scene.read(id)
    assert.equal((await scene.engine.sweep(finishedAt + 14 * DAY_MS - 1)).expired, 0)
    assert.equal((await scene.engine.sweep(finishedAt + 14 * DAY_MS)).expired, 1)
    const task = await scene.read(id)
    assert.equal(task.state, "succeeded.expired")
    assert.equal(task.artifacts.length, 1, "expired artifacts stay listed")
    assert.equal(scene.artifacts.places.size, 1, "bytes go a day later")
  })

  it("removes the bytes a day after expiry, once, and then forgets the task", async () => {
    const { scene, id } = await createFinished()
    const { finishedAt } = await scene.read(id)
    const report = await scene.engine.sweep(finishedAt + 15 * DAY_MS)
    assert.deepEqual(report, { timedOut: 0, expired: 1, removed: 1, forgotten: 0, failed: 0 })
    assert.equal(scene.artifacts.places.size, 0)
    const again = await scene.engine.sweep(finishedAt + 99 * DAY_MS)
    assert.deepEqual(again, { timedOut: 0, expired: 0, removed: 0, forgotten: 0, failed: 0 })
  })

  it("leaves the bytes where they are until that day is over", async () => {
    const { scene, id } = await createFinished()
    const { finishedAt } = await scene.read(id)
    assert.equal((await scene.engine.sweep(finishedAt + 15 * DAY_MS - 1)).removed, 0)
    assert.equal(scene.artifacts.places.size, 1)
    assert.equal((await scene.engine.sweep(finishedAt + 15 * DAY_MS)).removed, 1)
  })

  it("removes orphans of a finished task after a day, and nothing of its manifest", async () => {
    const { scene, id } = await createFinished()
    const orphan = { task: id, key: "image_1", body: completed("orphan").outputs[0].body }
    await scene.artifacts.put(orphan)
    const { finishedAt, artifacts } = await scene.read(id)
    assert.equal((await scene.engine.sweep(finishedAt + DAY_MS - 1)).removed, 0)
    assert.equal((await scene.engine.sweep(finishedAt + DAY_MS)).removed, 1)
    assert.deepEqual([...scene.artifacts.places.keys()], [artifacts[0]?.place])
  })

  it("goes on where one task can't be tended, counts it, and finds it again", async () => {
    const { scene, id } = await createFinished()
    const { finishedAt } = await scene.read(id)
    scene.storage.failAppends(99)
    const failing = scene.engine.sweep(finishedAt + 15 * DAY_MS)
    await scene.clock.advance(10_000)
    scene.storage.failAppends(0)
    await scene.clock.advance(60_000)
    assert.equal((await failing).expired, 1)
  })
})

describe("an overdue task", () => {
  it("ends also where its channel fails to cancel, or never answers", async () => {
    const accepted = { kind: "accepted", operation: 1 } as const
    const quiet = (): Promise<never> => new Promise(() => {})
    for (const cancel of [() => Promise.reject(new TypeError("fetch failed")), quiet]) {
      const channel = createScriptedChannel({ submits: [accepted], polls: [quiet] })
      const scene = createScene({ channels: [{ channel: { ...channel, cancel } }] })
      const { id } = await scene.submit()
      await scene.clock.advance(1)
      const sweeping = scene.engine.sweep(scene.clock.now() + 600_000)
      await scene.clock.advance(30_000)
      assert.equal((await sweeping).timedOut, 1)
      assert.equal((await scene.read(id)).error?.code, "generation_timeout")
    }
  })
})

describe("a stop", () => {
  it("waits for submissions under way, and leaves nothing running behind it", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const submitted = scene.submit()
    const stopped = scene.engine.stop({ graceMs: 1_000 })
    await scene.clock.advance(2_000)
    await stopped
    const callsAtStop = channel.calls.length
    const { id } = await submitted
    await scene.clock.advance(10_000)
    assert.equal(channel.calls.length, callsAtStop)
    assert.ok(["queued", "succeeded.available"].includes((await scene.read(id)).state))
  })

  it("lets running work finish within its grace", async () => {
    const channel = createScriptedChannel({
      submits: [
        async () => {
          await scene.clock.wait(3_000)
          return completed()
        },
      ],
    })
    const scene = createScene({ channels: [channel] })
    const { id } = await scene.submit()
    await scene.clock.advance(1)
    const stopped = scene.engine.stop({ graceMs: 5_000 })
    await scene.clock.advance(5_000)
    await stopped
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("hands the rest back, so that another node takes it at once", async () => {
    const accepted = { kind: "accepted", operation: 1 } as const
    const slow = createScriptedChannel({
      submits: [accepted],
      polls: [() => new Promise<never>(() => {})],
    })
    const scene = createScene({ channels: [slow] })
    const { id } = await scene.submit()
    await scene.clock.advance(1)
    const stopped = scene.engine.stop({ graceMs: 1_000 })
    await scene.clock.advance(1_000)
    await stopped
    const { clock, storage, artifacts } = scene
    const channel = createScriptedChannel({ polls: [completed()] })
    createScene({ channels: [channel], clock, storage, artifacts })
    await clock.advance(2_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })
})

describe("waiting for a task", () => {
  it("ends with it, also where another node finishes it", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const { id } = await scene.submit()
    const waiting = scene.engine.finished(id)
    const { clock, storage, artifacts } = scene
    const channel = createScriptedChannel({ submits: [completed()] })
    createScene({ channels: [channel], clock, storage, artifacts })
    await clock.advance(3_000)
    assert.equal((await waiting)?.state, "succeeded.available")
  })

  it("ends by its signal, and at once for a task that nobody knows", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    assert.equal(await scene.engine.finished("unknown"), undefined)
    const { id } = await scene.submit()
    const controller = new AbortController()
    const waiting = scene.engine.finished(id, { signal: controller.signal })
    controller.abort()
    await assert.rejects(waiting, { code: "aborted" })
  })
})

describe("an account", () => {
  it("finds its own tasks and artifacts, and nobody else's", async () => {
    const { scene, id } = await createFinished()
    assert.equal((await scene.engine.findTask({ account: "ada", id }))?.id, id)
    assert.equal((await scene.engine.findArtifacts({ account: "ada", id }))?.artifacts.length, 1)
    assert.equal(await scene.engine.findTask({ account: "bob", id }), undefined)
    assert.equal(await scene.engine.findArtifacts({ account: "bob", id }), undefined)
  })
})
