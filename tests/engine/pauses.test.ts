/** Channels that an operator has paused: they get nothing new, and what they have goes on. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError, type SubmitOutcome } from "@safelight/core"
import {
  createScriptedChannel,
  type ScriptedChannel,
  createMemoryStorage,
} from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { completed, createScene, SETTINGS, type Scene, ACCEPTED } from "./support.ts"

const RUNNING = { kind: "running", pollAfterMs: 5_000 } as const
/** What nobody can make is not refused. */
const WAITING = { queueUnavailable: true } as const
/** By then a pause was noticed, and what waited has been looked at. */
const NOTICE_MS = 4_000

function createMaker(name: string): ScriptedChannel {
  return createScriptedChannel({ name, submits: Array.from({ length: 9 }, () => completed(name)) })
}

async function pause({ clock, storage }: Scene, channel: string): Promise<void> {
  await storage.pauseChannel({ channel, pausedAt: clock.now() })
  await clock.advance(NOTICE_MS)
}

async function resume({ clock, storage }: Scene, channel: string): Promise<void> {
  await storage.resumeChannel(channel)
  await clock.advance(NOTICE_MS)
}

describe("a channel that is paused", () => {
  it("gets nothing new: what it alone makes waits, and no attempt is spent", async () => {
    const recorder = createLogRecorder()
    const channel = createMaker("one")
    const scene = createScene({ ...WAITING, channels: [channel], log: recorder.log })
    await scene.clock.advance(0)
    await pause(scene, "one")
    const tasks = [await scene.submit(), await scene.submit()]
    await scene.clock.advance(60_000)
    for (const { id } of tasks) assert.deepEqual(scene.story(id), ["submitted"])
    assert.deepEqual(channel.calls, [])
    await resume(scene, "one")
    for (const { id } of tasks) {
      assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
      assert.equal((await scene.read(id)).attempt, 1)
    }
    assert.deepEqual(
      recorder.entries
        .map(({ message }) => message)
        .filter((message) => /paused|resumed/.test(message)),
      ["channel paused", "channel resumed"],
    )
  })

  it("leaves what others can make to them, and the log says why", async () => {
    const [one, two] = [createMaker("one"), createMaker("two")]
    const channels = [
      { channel: one, tier: 1 },
      { channel: two, tier: 2 },
    ]
    const scene = createScene({ channels })
    await scene.clock.advance(0)
    await pause(scene, "one")
    const { id } = await scene.submit()
    await scene.clock.advance(NOTICE_MS)
    const { channel, because } = (await scene.read(id)).dispatch ?? {}
    assert.deepEqual([channel, because], ["two", "tier 2, 1 of 2 channels able; one: paused"])
    await resume(scene, "one")
    const later = await scene.submit()
    await scene.clock.advance(NOTICE_MS)
    assert.equal((await scene.read(later.id)).dispatch?.channel, "one")
  })

  it("has what it accepted followed to its end", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: [RUNNING, RUNNING, RUNNING, completed()],
    })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const { id } = await scene.submit()
    await pause(scene, channel.name)
    await scene.clock.advance(20_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "accepted", "succeeded"])
  })

  it("has that followed also by a process that starts while it is paused, which begins nothing", async () => {
    const storage = createMemoryStorage()
    const submits = [ACCEPTED, completed()]
    const polls = [RUNNING, RUNNING, completed()]
    const channel = createScriptedChannel({ submits, polls, concurrency: 1 })
    const first = createScene({ channels: [channel], storage })
    const { clock, artifacts } = first
    await clock.advance(0)
    const running = await first.submit()
    const waiting = await first.submit()
    await clock.advance(1_000)
    await storage.pauseChannel({ channel: channel.name, pausedAt: clock.now() })
    await first.engine.stop()
    const second = createScene({ channels: [channel], storage, clock, artifacts })
    await clock.advance(60_000)
    assert.equal((await second.read(running.id)).state, "succeeded.available")
    assert.deepEqual(second.story(waiting.id), ["submitted"])
    await resume(second, channel.name)
    assert.equal((await second.read(waiting.id)).state, "succeeded.available")
  })

  it("gets nothing new from any process that shares the storage", async () => {
    const storage = createMemoryStorage()
    const nodes = [createMaker("one"), createMaker("one")]
    const first = createScene({ ...WAITING, channels: nodes.slice(0, 1), storage })
    const { artifacts, clock } = first
    const others = { ...WAITING, storage, artifacts, clock }
    const second = createScene({ channels: nodes.slice(1), ...others })
    await clock.advance(0)
    await pause(first, "one")
    const tasks = [await first.submit(), await second.submit()]
    await clock.advance(120_000)
    for (const { id } of tasks) assert.deepEqual(first.story(id), ["submitted"])
    assert.deepEqual(
      nodes.map(({ calls }) => calls.length),
      [0, 0],
    )
    await resume(second, "one")
    await clock.advance(60_000)
    for (const { id } of tasks) assert.equal((await first.read(id)).state, "succeeded.available")
  })

  it("has a purchase in doubt settled by its key", async () => {
    const channel = createScriptedChannel({
      submission: { kind: "keyed", keyTtlMs: 3_600_000 },
      submits: [{ kind: "lost", operation: { id: 8 } }],
      polls: [completed()],
    })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    await scene.storage.pauseChannel({ channel: channel.name, pausedAt: 0 })
    const { id } = await scene.submit()
    await scene.clock.advance(10_000)
    const story = ["submitted", "dispatched", "doubted", "dispatched", "accepted", "succeeded"]
    assert.deepEqual(scene.story(id), story)
    assert.equal(channel.created.length, 1)
  })

  it("is not tried again for a task that it turned away, until it is resumed", async () => {
    const turnedAway = { kind: "not-created", reason: "full", retryAfterMs: 5_000 } as const
    const channel = createScriptedChannel({ submits: [turnedAway, completed()] })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    await scene.storage.pauseChannel({ channel: channel.name, pausedAt: 0 })
    const { id } = await scene.submit()
    await scene.clock.advance(60_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "deferred"])
    await resume(scene, channel.name)
    await scene.clock.advance(5_000)
    const again = ["submitted", "dispatched", "deferred", "dispatched", "succeeded"]
    assert.deepEqual(scene.story(id), again)
  })

  it("holds nothing up that only it can express, nor what others can make", async () => {
    const [all, few] = [createMaker("all"), createMaker("few")]
    const accepts: ScriptedChannel["accepts"] = ({ parameters }) =>
      parameters["count"] === 1 || { kind: "ineligible", reason: "one picture at most" }
    const scene = createScene({ channels: [all, { ...few, accepts }] })
    await scene.clock.advance(0)
    await pause(scene, "all")
    const many = await scene.submit({ prompt: "x", count: 2 })
    const single = await scene.submit()
    await scene.clock.advance(30_000)
    assert.deepEqual(scene.story(many.id), ["submitted"])
    assert.equal((await scene.read(single.id)).dispatch?.channel, "few")
    await resume(scene, "all")
    // It was given back out of its turn.
    await scene.clock.advance(SETTINGS.backoffMaxMs)
    assert.equal((await scene.read(many.id)).dispatch?.channel, "all")
  })

  it("holds up nobody behind what waits for it, however much that is", async () => {
    for (const runningTasks of [null, 2]) {
      const [all, few] = [createMaker("all"), createMaker("few")]
      const accepts: ScriptedChannel["accepts"] = ({ parameters }) =>
        parameters["count"] === 1 || { kind: "ineligible", reason: "one picture at most" }
      const scene = createScene({ channels: [all, { ...few, accepts, concurrency: 2 }] })
      const now = scene.clock.now()
      await scene.storage.setAccount({ id: "ada", now, settings: { runningTasks } })
      await scene.clock.advance(0)
      await pause(scene, "all")
      for (let count = 0; count < 12; count += 1) await scene.submit({ prompt: "x", count: 2 })
      const single = await scene.submit()
      await scene.clock.advance(60_000)
      assert.equal((await scene.read(single.id)).dispatch?.channel, "few", String(runningTasks))
    }
  })

  it("holds up no other start of an account that has no slot free", async () => {
    const submit = async (): Promise<SubmitOutcome> => {
      await scene.clock.wait(8_000)
      return completed("few")
    }
    const few = createScriptedChannel({ name: "few", submits: [submit, submit, submit] })
    const accepts: ScriptedChannel["accepts"] = ({ parameters }) =>
      parameters["count"] === 1 || { kind: "ineligible", reason: "one picture at most" }
    const channels = [createMaker("all"), { ...few, accepts }]
    const scene: Scene = createScene({ channels, isStarted: false })
    const { clock, engine, storage } = scene
    await storage.setAccount({ id: "ada", now: clock.now(), settings: { runningTasks: 2 } })
    await storage.pauseChannel({ channel: "all", pausedAt: 0 })
    await scene.submit()
    await scene.submit()
    await scene.submit({ prompt: "x", count: 2 })
    const last = await scene.submit()
    engine.start()
    await clock.advance(60_000)
    assert.equal((await scene.read(last.id)).dispatch?.channel, "few")
  })

  it("is asked for nothing new by a process that stood still before its intent", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    let isPaused = false
    const scene: Scene = createScene({
      channels: [channel],
      async probe(point) {
        if (point !== "dispatch:before-append" || isPaused) return
        isPaused = true
        await scene.storage.pauseChannel({ channel: channel.name, pausedAt: 0 })
        await scene.clock.wait(5_000)
      },
    })
    const { id } = await scene.submit()
    await scene.clock.advance(60_000)
    assert.deepEqual([scene.story(id), channel.calls.length], [["submitted"], 0])
    await resume(scene, channel.name)
    await scene.clock.advance(60_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })
})

describe("the channels that are paused", () => {
  it("are those that were seen last while the storage does not tell", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const away = { code: "storage-unavailable", message: "away", retryable: true } as const
    scene.storage.listPausedChannels = () => Promise.reject(new SafelightError(away))
    await scene.clock.advance(10_000)
    const { id } = await scene.submit()
    await scene.clock.advance(1_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("count for a while: who can't look begins nothing new, and follows what it has", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED, completed()],
      polls: Array.from({ length: 20 }, () => RUNNING).concat(completed() as never),
    })
    const { entries, log } = createLogRecorder()
    const scene = createScene({ channels: [channel], log })
    await scene.clock.advance(0)
    const under = await scene.submit()
    await scene.clock.advance(1_000)
    const { listPausedChannels: list } = scene.storage
    const away = { code: "storage-unavailable", message: "away", retryable: true } as const
    scene.storage.listPausedChannels = () => Promise.reject(new SafelightError(away))
    await scene.clock.advance(20_000)
    const { id } = await scene.submit()
    await scene.clock.advance(100_000)
    assert.deepEqual(scene.story(id), ["submitted"])
    assert.equal((await scene.read(under.id)).state, "succeeded.available")
    scene.storage.listPausedChannels = list
    await scene.clock.advance(5_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
    const words = ["pauses unknown", "pauses known"]
    const told = entries.filter(({ message }) => words.includes(message))
    const levels = told.map(({ level }) => level)
    assert.deepEqual(levels, ["error", "info"])
  })

  it("count for a while also where the storage doesn't answer at all", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    scene.storage.listPausedChannels = () => new Promise(() => {})
    await scene.clock.advance(20_000)
    const { id } = await scene.submit()
    await scene.clock.advance(20_000)
    assert.deepEqual([scene.story(id), channel.calls.length], [["submitted"], 0])
  })

  it("are looked up by the loop, however many tasks there are", async () => {
    const channel = createScriptedChannel({
      submits: Array.from({ length: 50 }, () => completed()),
    })
    const storage = createMemoryStorage()
    let looks = 0
    const list = storage.listPausedChannels
    const counting = {
      ...storage,
      listPausedChannels: () => {
        looks += 1
        return list()
      },
    }
    const scene = createScene({ channels: [channel], storage: counting })
    await scene.clock.advance(0)
    for (let count = 0; count < 50; count += 1) {
      await scene.submit()
      await scene.clock.advance(200)
    }
    assert.equal(channel.calls.length, 50)
    assert.ok(looks >= 3 && looks <= 6, String(looks))
  })
})
