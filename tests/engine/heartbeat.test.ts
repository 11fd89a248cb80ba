/** Heartbeats: how often they come, and that what is held is made equal to what is in hand. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { type ReleaseRequest } from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { completed, createScene, type Scene } from "./support.ts"
import { unavailable } from "../support/unavailable.ts"

/** The moments of the next heartbeats, ms from now. */
function noteBeats({ clock, storage }: Scene, longMs = 0): () => readonly number[] {
  const { heartbeat } = storage
  const startedAt = clock.monotonicNow()
  const beats: number[] = []
  storage.heartbeat = async (request) => {
    beats.push(clock.monotonicNow() - startedAt)
    await clock.wait(longMs)
    return heartbeat(request)
  }
  return () => beats
}

describe("a heartbeat", () => {
  it("comes five seconds after the one before began, or a fifth of a short lease", async () => {
    for (const [leaseMs, everyMs] of [
      [60_000, 5_000],
      [15_000, 3_000],
    ] as const) {
      const channels = [createScriptedChannel()]
      const scene = createScene({ channels, settings: { leaseMs } })
      await scene.clock.advance(0)
      const listBeats = noteBeats(scene, everyMs / 5)
      await scene.clock.advance(everyMs * 4 + 1)
      assert.deepEqual(
        listBeats(),
        [1, 2, 3, 4].map((count) => count * everyMs),
      )
    }
  })

  it("tells what its host said of the process, and the moment, which is no news", async () => {
    const node = { host: "north", role: "worker", startedAt: 5 }
    const scene = createScene({ channels: [createScriptedChannel()], node })
    const { clock, storage } = scene
    const startedAt = clock.now()
    await clock.advance(0)
    const listBeats = noteBeats(scene)
    const findFacts = async () => (await storage.listLeases())[0]?.facts
    const first = await findFacts()
    assert.deepEqual([first?.node, first?.toldAt], [node, startedAt])
    await clock.advance(10_001)
    assert.deepEqual(listBeats(), [5_000, 10_000])
    assert.equal((await findFacts())?.toldAt, startedAt + 10_000)
    const silent = createScene({ channels: [createScriptedChannel()] })
    await silent.clock.advance(0)
    const [lease] = await silent.storage.listLeases()
    assert.deepEqual([lease?.facts?.node, lease?.facts?.toldAt], [undefined, undefined])
  })

  it("releases what is held and unknown at the second time, once, and what is known never", async () => {
    const polls = Array.from(
      { length: 50 },
      () => ({ kind: "running", pollAfterMs: 5_000 }) as const,
    )
    const submits = [{ kind: "accepted", operation: { id: 7 } } as const, completed()]
    const scene = createScene({ channels: [createScriptedChannel({ polls, submits })] })
    const { clock, storage } = scene
    await clock.advance(0)
    const known = await scene.submit()
    await clock.advance(1_000)
    const [own] = await storage.listLeases()
    const other = createScene({
      channels: [createScriptedChannel()],
      clock,
      storage,
      isStarted: false,
    })
    const released: ReleaseRequest[] = []
    const { release, take } = storage
    storage.release = async (request) => {
      released.push(request)
      await release(request)
    }
    storage.take = async () => []
    const { id } = await other.submit()
    const request = { lease: own?.lease ?? "", models: ["model-a"], now: clock.now(), limit: 1 }
    assert.equal((await take(request)).length, 1)
    await clock.advance(5_000)
    assert.deepEqual(released, [], "it may have been on its way")
    await clock.advance(5_000)
    assert.deepEqual(
      released.map(({ tasks }) => tasks),
      [[id]],
    )
    storage.take = take
    await clock.advance(20_000)
    assert.equal(released.length, 1)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
    assert.equal((await scene.read(known.id)).state, "running")
  })

  it("releases nothing that a taking under way may bring", async () => {
    const scene = createScene({
      channels: [createScriptedChannel({ submits: [completed()] })],
      isStarted: false,
    })
    const { clock, storage } = scene
    const { id } = await scene.submit()
    const { release, take } = storage
    const going = Promise.withResolvers<void>()
    storage.take = async (request) => {
      const taken = await take(request)
      await going.promise
      return taken
    }
    let releases = 0
    storage.release = (request) => {
      releases += 1
      return release(request)
    }
    scene.engine.start()
    await clock.advance(12_000)
    going.resolve()
    await clock.advance(1_000)
    assert.equal(releases, 0)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
  })

  it("makes good an admission whose answer was lost", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel] })
    const { clock, storage } = scene
    await clock.advance(0)
    const { admit, readTask } = storage
    let stored = ""
    storage.admit = async (request) => {
      await admit(request)
      stored = request.append.task
      Object.assign(storage, { admit })
      throw unavailable()
    }
    storage.readTask = () => Promise.reject(unavailable())
    await assert.rejects(scene.submit(), { code: "outcome-unknown" })
    storage.readTask = readTask
    assert.deepEqual(scene.story(stored), ["submitted"])
    await clock.advance(20_000)
    assert.deepEqual(scene.story(stored), ["submitted", "dispatched", "succeeded"])
  })

  it("calls off what is in hand and not held", async () => {
    const polls = Array.from(
      { length: 50 },
      () => ({ kind: "running", pollAfterMs: 1_000 }) as const,
    )
    const submits = [{ kind: "accepted", operation: { id: 7 } } as const]
    const channel = createScriptedChannel({ polls, submits })
    const scene = createScene({ channels: [channel] })
    const { clock, storage } = scene
    await clock.advance(0)
    await scene.submit()
    await clock.advance(1_000)
    const [own] = await storage.listLeases()
    storage.take = async () => []
    assert.ok(own !== undefined && (await storage.expire(own)))
    await clock.advance(6_000)
    const calls = channel.calls.length
    await clock.advance(20_000)
    assert.equal(channel.calls.length, calls)
  })
})

describe("what was taken before the lease may have expired, and is heard of after it", () => {
  it("is not begun, and given back", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel], isStarted: false })
    const { clock, storage } = scene
    const { id } = await scene.submit()
    const { heartbeat, take } = storage
    const going = Promise.withResolvers<void>()
    const late = take
    storage.take = async (request) => {
      const taken = await late(request)
      await going.promise
      return taken
    }
    scene.engine.start()
    await clock.advance(1_000)
    storage.heartbeat = () => Promise.reject(unavailable())
    await clock.advance(70_000)
    storage.heartbeat = heartbeat
    await clock.advance(31_000)
    storage.take = async () => []
    going.resolve()
    await clock.advance(4_000)
    assert.deepEqual(scene.story(id), ["submitted"])
    assert.equal((await storage.measureQueue())[0]?.held, 0)
    storage.take = take
    await clock.advance(5_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
  })
})
