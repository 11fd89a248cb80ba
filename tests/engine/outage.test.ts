/** A storage that stays away: whoever stops or sweeps is not kept waiting for it. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError, type AbortSignalLike, type Submission } from "@safelight/core"
import {
  createManualClock,
  createScriptedChannel,
  createMemoryStorage,
  type MemoryStorage,
} from "@safelight/testkit"
import { createPausable } from "./pausable.ts"
import { completed, createScene, type Scene, ACCEPTED, submitTo } from "./support.ts"
import { unavailable } from "../support/unavailable.ts"

const KEYED: Submission = { kind: "keyed", keyTtlMs: 3_600_000 }
const LOOKUP: Submission = { kind: "lookup", longestRequestMs: 5_000 }

const quiet = (): Promise<never> => new Promise(() => {})

/** More than a claim lasts with the time until that is noticed. */
const TAKEN_OVER_MS = 130_000

function untilAborted(signal: AbortSignalLike | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener("abort", () => reject(unavailable()))
  })
}

/** Whether `promise` is settled once `durationMs` have passed. */
async function isSettledWithin(
  { clock }: Pick<Scene, "clock">,
  durationMs: number,
  promise: Promise<unknown>,
): Promise<boolean> {
  let isSettled = false
  const settle = (): void => void (isSettled = true)
  void promise.then(settle, settle)
  await clock.advance(durationMs)
  return isSettled
}

describe("a stop while nothing can be written", () => {
  it("does not wait for the record of a call that was not made", async () => {
    let stopped: Promise<void> | undefined
    const scene = createScene({
      channels: [createScriptedChannel()],
      async probe(point) {
        if (point !== "dispatch:after-append") return
        scene.storage.failAppends(Infinity)
        stopped = scene.engine.stop({ graceMs: 1_000 })
        await scene.clock.wait(2_000)
      },
    })
    const { id } = await scene.submit()
    await scene.clock.advance(1)
    assert.ok(stopped !== undefined)
    assert.ok(await isSettledWithin(scene, 5_000, stopped))
    assert.deepEqual(scene.story(id), ["submitted", "dispatched"])
  })

  it("does not wait for that of a call whose caller is gone", async () => {
    const first = createScene({ channels: [createScriptedChannel({ submits: [quiet] })] })
    const { artifacts, clock, storage } = first
    const { id } = await first.submit()
    await clock.advance(1_000)
    assert.equal((await first.read(id)).state, "dispatching")
    const own = { ...storage, append: () => Promise.reject(unavailable()) }
    Object.assign(storage, { append: quiet, take: quiet, heartbeat: quiet, listLeases: quiet })
    const channels = [createScriptedChannel()]
    const scene = createScene({ artifacts, channels, clock, storage: own })
    await clock.advance(100_000)
    const stopped = scene.engine.stop({ graceMs: 1_000 })
    assert.ok(await isSettledWithin(scene, 5_000, stopped))
    assert.equal((await scene.read(id)).state, "dispatching")
  })

  it("does not wait for that of an operation that was found", async () => {
    const lost = { kind: "lost", operation: { id: 7 } } as const
    const channel = createScriptedChannel({ submission: LOOKUP, submits: [lost] })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(60_000)
    scene.storage.failAppends(Infinity)
    await scene.clock.advance(30_000)
    assert.equal(channel.calls.at(-1)?.method, "find")
    assert.ok(await isSettledWithin(scene, 5_000, scene.engine.stop({ graceMs: 1_000 })))
    assert.equal((await scene.read(id)).state, "doubtful")
  })

  it("does not wait for that of a task's end, nor for its channel to stop the work", async () => {
    for (const cancel of [() => Promise.resolve("stopped" as const), quiet]) {
      const channel = createScriptedChannel({ submits: [ACCEPTED], polls: [quiet] })
      const settings = { endAfterMs: 10_000 }
      const scene = createScene({ channels: [{ channel: { ...channel, cancel } }], settings })
      const { id } = await scene.submit()
      await scene.clock.advance(1_000)
      scene.storage.failAppends(Infinity)
      await scene.clock.advance(12_000)
      assert.ok(await isSettledWithin(scene, 2_000, scene.engine.stop({ graceMs: 1_000 })))
      assert.equal((await scene.read(id)).state, "running")
    }
  })

  it("does not wait for outputs that can't be removed", async () => {
    const outputs = ["picture", "never stored"].flatMap((text) => completed(text).outputs)
    const channel = createScriptedChannel({ submits: [{ kind: "completed", outputs }] })
    const scene = createScene({ channels: [channel] })
    scene.artifacts.remove = quiet
    const put = scene.artifacts.put.bind(scene.artifacts)
    scene.artifacts.put = (request) =>
      request.key === "image_2" ? untilAborted(request.signal) : put(request)
    await scene.submit({ prompt: "two of them", count: 2 })
    await scene.clock.advance(1_000)
    assert.equal(scene.artifacts.locators.size, 1)
    assert.ok(await isSettledWithin(scene, 8_000, scene.engine.stop({ graceMs: 1_000 })))
  })

  it("does not wait for work that the same process has taken again meanwhile", async () => {
    const clock = createManualClock()
    const storage = createMemoryStorage()
    const process = createPausable(clock, storage)
    const script = { submission: KEYED, submits: [ACCEPTED, ACCEPTED], polls: [completed()] }
    const scene = createScene({
      channels: [createScriptedChannel(script)],
      clock: process.clock,
      storage: process.storage,
      async probe(point) {
        if (point === "dispatch:after-call") process.pause()
        await process.standStill()
      },
    })
    await clock.advance(0)
    const { id } = await scene.submit()
    await clock.advance(1_000)
    // Expires the lease, and takes nothing itself.
    const watcher = createScene({
      channels: [createScriptedChannel()],
      clock,
      storage: takingNothing(storage),
    })
    await clock.advance(TAKEN_OVER_MS)
    storage.failAppends(Infinity)
    process.resume()
    await clock.advance(TAKEN_OVER_MS)
    assert.equal((await watcher.read(id)).state, "dispatching")
    assert.ok(await isSettledWithin({ clock }, 5_000, scene.engine.stop({ graceMs: 1_000 })))
  })
})

function takingNothing(storage: MemoryStorage): MemoryStorage {
  return { ...storage, take: async () => [] }
}

describe("a sweep while nothing can be written", () => {
  async function createOverdue(count: number): Promise<Scene> {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    for (let index = 0; index < count; index += 1) await scene.submit()
    return scene
  }

  /** Counts appends; those that `fails` says so of are not stored. */
  function failAppendsOf({ storage }: Scene, fails: (task: string) => boolean): () => number {
    const { append } = storage
    let tries = 0
    storage.append = async (request) => {
      if (!fails(request.task)) return append(request)
      tries += 1
      throw unavailable()
    }
    return () => tries
  }

  it("ends, and counts what it could not do", async () => {
    const scene = await createOverdue(70)
    const countTries = failAppendsOf(scene, () => true)
    const sweeping = scene.engine.sweep(scene.clock.now() + 600_000)
    assert.ok(await isSettledWithin(scene, 20_000, sweeping))
    const nothing = { timedOut: 0, expired: 0, removed: 0, erased: 0, forgotten: 0 }
    assert.deepEqual(await sweeping, { ...nothing, failed: 70 })
    const atOnce = 64
    assert.equal(countTries(), 5 * atOnce + 6, "the first ones used up the patience for all")
  })

  it("rejects where the storage does not answer either, and asks it no further", async () => {
    const scene = await createOverdue(3)
    const countTries = failAppendsOf(scene, () => {
      scene.storage.findOverdue = () => Promise.reject(unavailable())
      return true
    })
    const sweeping = scene.engine.sweep(scene.clock.now() + 600_000)
    assert.ok(await isSettledWithin(scene, 20_000, sweeping))
    await assert.rejects(sweeping, { code: "storage-unavailable" })
    assert.equal(countTries(), 5 * 3)
  })

  it("does what it can beside a task that can't be written", async () => {
    const scene = await createOverdue(3)
    const [stuck] = await scene.storage.findOverdue({
      now: scene.clock.now() + 600_000,
      heldUntil: 0,
      limit: 1,
    })
    failAppendsOf(scene, (task) => task === stuck?.task.id)
    const sweeping = scene.engine.sweep(scene.clock.now() + 600_000)
    assert.ok(await isSettledWithin(scene, 20_000, sweeping))
    const { failed, timedOut } = await sweeping
    assert.deepEqual([failed, timedOut], [1, 2])
  })

  it("ends also where an expiry can't be written", async () => {
    const scene = createScene({ channels: [createScriptedChannel({ submits: [completed()] })] })
    const { id } = await scene.submit()
    await scene.engine.finished(id)
    failAppendsOf(scene, () => true)
    const sweeping = scene.engine.sweep(scene.clock.now() + 15 * 86_400_000)
    assert.ok(await isSettledWithin(scene, 20_000, sweeping))
    assert.equal((await sweeping).failed, 1)
  })
})

describe("an intent that may be stored", () => {
  /** A task whose intent is stored and not answered; nothing can be appended until it is back. */
  async function createUnheard() {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel], isStarted: false })
    const { storage } = scene
    const { append } = storage
    const { id } = await scene.submit()
    storage.append = async (request) => {
      await append(request)
      storage.append = () => Promise.reject(unavailable())
      throw unavailable()
    }
    scene.engine.start()
    await scene.clock.advance(1)
    const comeBack = (): void => void (storage.append = append)
    return { ...scene, channel, comeBack, id }
  }

  const SENT_LATER = ["submitted", "dispatched", "deferred", "dispatched", "succeeded"]

  it("is written until that is known, so that a call that was not made is not taken for one", async () => {
    const { channel, clock, comeBack, id, story } = await createUnheard()
    await clock.advance(20_000)
    comeBack()
    await clock.advance(20_000)
    assert.deepEqual(story(id), ["submitted", "dispatched", "succeeded"])
    assert.equal(channel.created.length, 1)
  })

  it("is no leave to send later than it says", async () => {
    const { channel, clock, comeBack, id, story } = await createUnheard()
    // Longer than a claim, which is renewed all the while.
    await clock.advance(70_000)
    comeBack()
    await clock.advance(40_000)
    assert.deepEqual(story(id), SENT_LATER)
    assert.equal(channel.created.length, 1)
  })

  it("sends nothing once its claim is lost, and may be tried again", async () => {
    const { channel, clock, comeBack, id, storage, story } = await createUnheard()
    for (const claim of await storage.listLeases()) await storage.expire(claim)
    await clock.advance(25_000)
    comeBack()
    await clock.advance(60_000)
    assert.deepEqual(story(id), SENT_LATER)
    assert.equal(channel.created.length, 1)
  })

  it("is given up with the engine", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    await scene.submit()
    scene.storage.failAppends(Infinity)
    scene.engine.start()
    await scene.clock.advance(20_000)
    assert.ok(await isSettledWithin(scene, 5_000, scene.engine.stop({ graceMs: 1_000 })))
  })
})

describe("what a channel answered", () => {
  it("is written down also where the storage refuses it for good some times over", async () => {
    const message = "a pooler's passing trouble"
    const refusal = new SafelightError({ code: "storage-unavailable", message })
    let refusals = 3
    const storage = createMemoryStorage()
    const { append } = storage
    storage.append = async (request) => {
      const isAnswer = request.events.some(({ type }) => type === "accepted")
      if (isAnswer && refusals > 0) {
        refusals -= 1
        throw refusal
      }
      return append(request)
    }
    const channel = createScriptedChannel({ submits: [ACCEPTED], polls: [completed()] })
    const { scene, id } = await submitTo(channel, { storage })
    await scene.clock.advance(30_000)
    assert.equal(refusals, 0)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "accepted", "succeeded"])
  })
})
