/** Which clock counts: the database's where processes share one, and a jump of a host's own. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError } from "@safelight/core"
import { cancelTask } from "@safelight/engine"
import {
  createManualClock,
  createMemoryArtifacts,
  createMemoryStorage,
  createScriptedChannel,
} from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { completed, createScene, type Scene } from "./support.ts"

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

  it("has a task that rests in doubt looked at once, and ended when it is believed", async () => {
    const channel = createScriptedChannel({ submits: [{ kind: "lost", operation: { id: 7 } }] })
    const scene = createScene({ channels: [channel], settings: { endAfterMs: 2 * HOUR_MS } })
    const { id } = await scene.submit()
    await scene.clock.advance(1_000)
    const { release } = scene.storage
    let releases = 0
    scene.storage.release = (request) => {
      releases += 1
      assert.ok(releases < 10, "it is taken and given back without end")
      return release(request)
    }
    scene.clock.jump(20 * DAY_MS)
    await scene.clock.advance(HOUR_MS / 2)
    assert.deepEqual([(await scene.read(id)).state, releases], ["doubtful", 1])
    await scene.clock.advance(HOUR_MS)
    await scene.engine.sweep()
    assert.equal((await scene.read(id)).error?.code, "upstream_outcome_unknown")
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

/** Each takes away what can't be had back. */
describe("what is removed for good", () => {
  const TASK = { account: "ada", model: "model-a", parameters: { prompt: "a quiet harbour" } }
  const IDEMPOTENT = { ...TASK, idempotency: { key: "mine", fingerprint: "ab".repeat(32) } }
  const NOTHING = { timedOut: 0, expired: 0, removed: 0, erased: 0, forgotten: 0, failed: 0 }

  /** Both kinds of storage: `shift` moves the clock that counts. */
  function createPlace(kind: "database" | "host") {
    const clock = createManualClock()
    const memory = createMemoryStorage()
    const startedAt = clock.now()
    let aheadMs = 0
    const readClock = async (): Promise<number> => startedAt + clock.monotonicNow() + aheadMs
    const storage = kind === "host" ? memory : { ...memory, readClock }
    const artifacts = createMemoryArtifacts()
    const { entries, log } = createLogRecorder()
    function shift(byMs: number): void {
      aheadMs += byMs
      if (kind === "host") clock.jump(byMs)
    }
    function start() {
      const channels = [createScriptedChannel({ submits: [completed()] })]
      return createScene({ artifacts, channels, clock, log, storage })
    }
    const held = (): unknown[] =>
      entries.filter(({ message }) => message === "removal held back").map(({ fields }) => fields)
    return { artifacts, clock, entries, held, shift, start, storage }
  }

  /** One task is made and the process ends; the sweep was its last act. */
  async function createMade(kind: "database" | "host") {
    const place = createPlace(kind)
    const scene = place.start()
    const sent = await scene.engine.submit(IDEMPOTENT)
    assert.ok(sent.kind === "submitted")
    await scene.engine.finished(sent.task.id)
    await scene.engine.sweep()
    return { ...place, id: sent.task.id, scene }
  }

  type Made = Awaited<ReturnType<typeof createMade>>

  async function assertWhole({ artifacts, id, storage }: Made, scene: Scene): Promise<void> {
    assert.equal((await scene.read(id)).state, "succeeded.available")
    assert.equal((await artifacts.list(id)).length, 1)
    assert.ok([...storage.inputs.values()].some(({ task }) => task === id))
    const again = await scene.engine.submit(IDEMPOTENT)
    assert.ok(again.kind === "submitted" && again.isReplayed && again.task.id === id)
  }

  async function assertGone({ artifacts, id, storage }: Made, scene: Scene): Promise<void> {
    assert.equal((await scene.read(id)).state, "succeeded.expired")
    assert.equal(artifacts.locators.size, 0)
    assert.equal(storage.inputs.size, 0)
    const again = await scene.engine.submit(IDEMPOTENT)
    assert.ok(again.kind === "submitted" && !again.isReplayed)
  }

  for (const kind of ["host", "database"] as const) {
    const words = kind === "host" ? "the host's clock" : "the database's clock"

    it(`stays where a process starts while ${words} is ahead, and the log says what to do`, async () => {
      const made = await createMade(kind)
      await made.scene.engine.stop()
      made.shift(16 * DAY_MS)
      const next = made.start()
      assert.deepEqual(await next.engine.sweep(), NOTHING)
      await assertWhole(made, next)
      await made.clock.advance(HOUR_MS / 2)
      assert.deepEqual(await next.engine.sweep(), NOTHING)
      const [told, ...more] = made.held()
      assert.deepEqual(more, [])
      assert.ok(typeof told === "object" && told !== null && "advice" in told)
      assert.match(String(told.advice), /--trust-clock/)
      made.shift(-16 * DAY_MS)
      await made.clock.advance(2 * HOUR_MS)
      assert.deepEqual(await next.engine.sweep(), NOTHING)
      await assertWhole(made, next)
    })

    it(`stays where ${words} is ahead for one reading`, async () => {
      const made = await createMade(kind)
      made.shift(16 * DAY_MS)
      await made.clock.advance(30_000)
      assert.deepEqual(await made.scene.engine.sweep(), NOTHING)
      made.shift(-16 * DAY_MS)
      await made.clock.advance(30_000)
      assert.deepEqual(await made.scene.engine.sweep(), NOTHING)
      await assertWhole(made, made.scene)
      assert.equal(made.held().length, 1)
    })

    it(`goes once ${words} was the same for an hour, as after a stop of weeks`, async () => {
      const made = await createMade(kind)
      await made.scene.engine.stop()
      made.shift(16 * DAY_MS)
      const next = made.start()
      assert.deepEqual(await next.engine.sweep(), NOTHING)
      await made.clock.advance(HOUR_MS)
      const { erased, expired, forgotten, removed } = await next.engine.sweep()
      assert.deepEqual([erased, expired, forgotten, removed], [1, 1, 1, 1])
      await assertGone(made, next)
    })

    it(`goes at once where an operator says that ${words} is right, at every process`, async () => {
      const made = await createMade(kind)
      await made.scene.engine.stop()
      made.shift(16 * DAY_MS)
      const [other, trusting] = [made.start(), made.start()]
      assert.deepEqual(await other.engine.sweep(), NOTHING)
      await trusting.engine.removalClock.trust()
      assert.equal((await other.engine.sweep()).removed, 1)
      await assertGone(made, other)
    })

    it(`waits for no restart of ten minutes by ${words}`, async () => {
      const made = await createMade(kind)
      await made.scene.engine.stop()
      made.shift(600_000)
      const next = made.start()
      await next.engine.sweep()
      assert.deepEqual(made.held(), [])
      assert.equal(await made.storage.readJudgedMoment(), next.engine.clock.now())
    })
  }

  it("stays also where the process starts anew each few minutes while its clock is ahead", async () => {
    const made = await createMade("host")
    await made.scene.engine.stop()
    made.shift(16 * DAY_MS)
    for (let start = 0; start < 20; start += 1) {
      const next = made.start()
      await next.engine.submit(TASK)
      assert.deepEqual(await next.engine.sweep(), NOTHING)
      await made.clock.advance(300_000)
      await next.engine.stop()
    }
    await assertWhole(made, made.start())
  })

  it("ends no task of a running process by one reading of the database's clock", async () => {
    const { artifacts, clock, shift, storage } = createPlace("database")
    const channels = [createScriptedChannel()]
    const waiting = createScene({ artifacts, channels, clock, storage, isStarted: false })
    await waiting.engine.sweep()
    const { id } = await waiting.submit()
    shift(16 * DAY_MS)
    await clock.advance(30_000)
    assert.equal((await waiting.engine.sweep()).timedOut, 0)
    assert.equal((await waiting.read(id)).finishedAt, 0)
  })
})
