/** Which clock counts: the database's where processes share one, and a jump of a host's own. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError } from "@safelight/core"
import { cancelTask } from "@safelight/engine"
import { createManualClock, createScriptedChannel, createMemoryStorage } from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { completed, createScene } from "./support.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

describe("a clock that jumps ahead", () => {
  async function createJumped() {
    const channel = createScriptedChannel({ submits: [completed()] })
    const { entries, log } = createLogRecorder()
    const scene = createScene({ channels: [channel], log })
    const done = await scene.submit()
    await scene.clock.advance(1_000)
    const waiting = createScene({
      channels: [createScriptedChannel()],
      clock: scene.clock,
      storage: scene.storage,
      artifacts: scene.artifacts,
      settings: { endAfterMs: 2 * HOUR_MS },
      isStarted: false,
    })
    const { id } = await waiting.submit()
    await scene.engine.stop()
    return { done: done.id, entries, id, scene }
  }

  it("ends, expires and removes nothing by itself, and says so once", async () => {
    const { done, entries, id, scene } = await createJumped()
    scene.clock.jump(20 * DAY_MS)
    for (let minute = 0; minute < 59; minute += 1) {
      const report = await scene.engine.sweep()
      assert.ok(Object.values(report).every((count) => count === 0))
      await scene.clock.advance(60_000)
    }
    assert.equal((await scene.read(done)).state, "succeeded.available")
    assert.equal(scene.artifacts.locators.size, 1)
    assert.equal((await scene.read(id)).finishedAt, 0)
    const jumps = entries.filter(({ message }) => message === "clock jump")
    assert.deepEqual(
      jumps.map(({ fields }) => fields["aheadMs"]),
      [20 * DAY_MS],
    )
  })

  it("is believed where it is still the same after an hour", async () => {
    const { done, id, scene } = await createJumped()
    scene.clock.jump(20 * DAY_MS)
    await scene.engine.sweep()
    await scene.clock.advance(HOUR_MS)
    await scene.engine.sweep()
    assert.equal((await scene.read(done)).state, "succeeded.expired")
    assert.equal((await scene.read(id)).state, "failed")
  })

  it("changes nothing once it is set right", async () => {
    const { done, scene } = await createJumped()
    scene.clock.jump(20 * DAY_MS)
    await scene.engine.sweep()
    scene.clock.jump(-20 * DAY_MS)
    await scene.clock.advance(2 * HOUR_MS)
    await scene.engine.sweep()
    assert.equal((await scene.read(done)).state, "succeeded.available")
  })

  it("does not keep a task from being carried out", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel], isStarted: false })
    const { id } = await scene.submit()
    scene.clock.jump(2 * HOUR_MS)
    scene.engine.start()
    await scene.clock.advance(5_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })
})

describe("processes that share a database", () => {
  /** A machine whose clock is `aheadMs` ahead of the database's. */
  function createMachine(aheadMs: number, isDownAtFirst = false) {
    const clock = createManualClock()
    const startedAt = clock.now()
    clock.jump(aheadMs)
    const databaseNow = (): number => startedAt + clock.monotonicNow()
    let isDown = isDownAtFirst
    const readClock = async (): Promise<number> => {
      if (!isDown) return databaseNow()
      const message = "the database does not answer"
      throw new SafelightError({ code: "storage-unavailable", message, retryable: true })
    }
    const setDown = (isNowDown: boolean): void => void (isDown = isNowDown)
    const storage = { ...createMemoryStorage(), readClock }
    const { entries, log } = createLogRecorder()
    const channels = [createScriptedChannel({ submits: [completed()] })]
    const scene = createScene({ channels, clock, storage, log, isStarted: false })
    return { databaseNow, entries, scene, setDown, storage }
  }

  for (const aheadMs of [HOUR_MS, -HOUR_MS]) {
    it(`go by its clock, also where a machine's is ${aheadMs / 60_000} minutes off`, async () => {
      const { databaseNow, entries, scene } = createMachine(aheadMs)
      const { createdAt, endBy, id } = await scene.submit()
      assert.deepEqual([createdAt, endBy], [databaseNow(), databaseNow() + 600_000])
      assert.equal((await scene.engine.sweep()).timedOut, 0)
      scene.engine.start()
      await scene.clock.advance(1_000)
      const { finishedAt, state } = await scene.read(id)
      assert.equal(state, "succeeded.available")
      assert.ok(finishedAt >= createdAt && finishedAt <= databaseNow())
      const [warning] = entries
      assert.equal(warning?.fields["differenceMs"], aheadMs)
      assert.equal(warning.message, "clock difference")
    })
  }

  it("accept nothing before they know its clock", async () => {
    const { scene, setDown, storage } = createMachine(0, true)
    await assert.rejects(scene.submit(), { code: "storage-unavailable" })
    assert.equal(storage.events.size, 0)
    setDown(false)
    await scene.submit()
    assert.equal(storage.events.size, 1)
  })

  it("go by its clock soon also where nothing but a moment is asked for", async () => {
    const { databaseNow, scene } = createMachine(-HOUR_MS)
    scene.engine.clock.now()
    await scene.clock.advance(1)
    assert.equal(scene.engine.clock.now(), databaseNow())
  })

  it("are gone by too where a task is settled by hand", async () => {
    const { databaseNow, scene, storage } = createMachine(HOUR_MS)
    const { id } = await scene.submit()
    const { clock } = scene
    assert.equal((await cancelTask({ storage, clock }, id))?.outcome, "cancelled")
    assert.equal((await scene.read(id)).finishedAt, databaseNow())
  })

  it("go on by what they read last where it can't be read for a while", async () => {
    const { databaseNow, scene, setDown } = createMachine(HOUR_MS)
    await scene.engine.clock.ready()
    setDown(true)
    await scene.clock.advance(300_000)
    assert.equal(scene.engine.clock.now(), databaseNow())
  })
})
