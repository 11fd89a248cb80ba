/** Worker leases: kept alive and judged by heartbeats on the monotonic clock, and given up when a process ends. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError, type PollOutcome, type ProbePoint, type Submission } from "@safelight/core"
import { DEFAULTS } from "@safelight/engine"
import {
  createManualClock,
  createScriptedChannel,
  createMemoryArtifacts,
  createMemoryStorage,
  type MemoryStorage,
} from "@safelight/testkit"
import { FACTS } from "../support/lease-facts.ts"
import { createPausable } from "./pausable.ts"
import { completed, createScene, type Scene, ACCEPTED } from "./support.ts"

const KEYED: Submission = { kind: "keyed", keyTtlMs: 3_600_000 }

/** The lease of a process that none of these tests has. */
const OTHER = "019b76da-a800-7001-a52e-0ec514a3ec63"

/** More than a lease lasts with the time until that is noticed. */
const TAKEN_OVER_MS = 130_000

/** One process that is stopped at `point` of its first task, and a second one over the same storage. */
function createPair(
  point: ProbePoint,
  polls: readonly PollOutcome[] = [],
  submission: Submission = KEYED,
) {
  const clock = createManualClock()
  const storage = createMemoryStorage()
  const artifacts = createMemoryArtifacts()
  const process = createPausable(clock, storage)
  let hasStood = false
  const script = {
    submission,
    submits: [ACCEPTED, ACCEPTED],
    polls: [...polls, completed()],
  }
  const channels = [createScriptedChannel(script), createScriptedChannel(script)] as const
  const first = createScene({
    channels: [channels[0]],
    artifacts,
    clock: process.clock,
    storage: process.storage,
    async probe(passed) {
      if (passed === point && !hasStood) process.pause()
      hasStood ||= passed === point
      await process.standStill()
    },
  })
  const startSecond = (): Scene =>
    createScene({ channels: [channels[1]], artifacts, clock, storage })
  return { artifacts, channels, clock, first, process, startSecond, storage }
}

describe("a process that wakes past its lease", () => {
  const cases: readonly (readonly [ProbePoint, readonly string[], readonly string[]])[] = [
    ["dispatch:before-append", [], ["submitted", "dispatched", "accepted", "succeeded"]],
    [
      "dispatch:after-append",
      [],
      ["submitted", "dispatched", "doubted", "dispatched", "accepted", "succeeded"],
    ],
    ["follow:after-poll", ["submit", "poll"], ["submitted", "dispatched", "accepted", "succeeded"]],
  ]
  for (const [point, called, story] of cases) {
    it(`at ${point} sends nothing and appends nothing`, async () => {
      const { channels, clock, first, process, startSecond } = createPair(point)
      await clock.advance(0)
      const { id } = await first.submit()
      await clock.advance(1_000)
      const second = startSecond()
      await clock.advance(TAKEN_OVER_MS)
      assert.deepEqual(second.story(id), story)
      process.resume()
      await clock.advance(TAKEN_OVER_MS)
      assert.deepEqual(second.story(id), story)
      const methods = channels[0].calls.map(({ method }) => method)
      assert.deepEqual(methods, called, "it went on calling")
      assert.equal((await second.read(id)).state, "succeeded.available")
    })
  }

  it("appends nothing either before anybody has taken its task over", async () => {
    const progress = { kind: "running", progress: 50, pollAfterMs: 1_000 } as const
    const points = ["dispatch:before-append", "follow:after-poll"] as const
    for (const point of points) {
      const { clock, first, process } = createPair(point, [progress])
      await clock.advance(0)
      const { id } = await first.submit()
      await clock.advance(61_000)
      const before = first.story(id)
      // Nothing but its own waking may be seen: it can't renew its lease yet.
      process.storage.heartbeat = () => new Promise(() => {})
      process.resume()
      await clock.advance(10_000)
      assert.deepEqual(first.story(id), before)
    }
  })

  it("writes down what it bought, also while the storage fails and its lease is lost", async () => {
    const unkeyed: Submission = { kind: "unkeyed" }
    const pair = createPair("dispatch:after-call", [], unkeyed)
    const { channels, clock, first, process, startSecond, storage } = pair
    await clock.advance(0)
    const { id } = await first.submit()
    await clock.advance(1_000)
    const second = startSecond()
    await clock.advance(TAKEN_OVER_MS)
    assert.deepEqual(second.story(id), ["submitted", "dispatched", "doubted"])
    // For longer than it takes until the lease is seen to be lost.
    storage.failAppends(6)
    process.resume()
    await clock.advance(TAKEN_OVER_MS)
    const story = ["submitted", "dispatched", "doubted", "accepted", "succeeded"]
    assert.deepEqual(second.story(id), story)
    const created = channels.flatMap((channel) => channel.created)
    assert.equal(created.length, 1)
  })

  it("works on as before, under its lease again", async () => {
    const { channels, clock, first, process, startSecond } = createPair("dispatch:before-append")
    await clock.advance(0)
    await first.submit()
    await clock.advance(1_000)
    const second = startSecond()
    await clock.advance(TAKEN_OVER_MS)
    process.resume()
    await clock.advance(TAKEN_OVER_MS)
    await second.engine.stop()
    const { id } = await first.submit()
    await clock.advance(5_000)
    assert.equal((await second.read(id)).state, "succeeded.available")
    assert.deepEqual(channels[0].created, [`${id}.1`])
  })
})

const RUNNING: PollOutcome = { kind: "running", pollAfterMs: 1_000 }
const BY_DEFAULT = { leaseMs: DEFAULTS.leaseMs }

/**
 * Two processes with the default lease, the heartbeats of the first so much later than those of the second. The first,
 * whose storage is its own, has a task that runs for minutes.
 */
async function createNeighbours(laterMs = 0) {
  const clock = createManualClock()
  const storage = createMemoryStorage()
  const artifacts = createMemoryArtifacts()
  const polls = Array.from({ length: 300 }, () => RUNNING)
  const create = (own: MemoryStorage) => {
    const channel = createScriptedChannel({ submission: KEYED, submits: [ACCEPTED], polls })
    const parts = { clock, storage: own, artifacts, settings: BY_DEFAULT }
    return { channel, scene: createScene({ ...parts, channels: [channel] }), own }
  }
  /** As a database answers, but for the eighth time. */
  const slow = (eighthMs = 100): MemoryStorage => {
    const heartbeat: MemoryStorage["heartbeat"] = async (request) => {
      const answer = await storage.heartbeat(request)
      await clock.wait(request.heartbeats === 8 ? eighthMs : 100)
      return answer
    }
    return { ...storage, heartbeat }
  }
  const first = create(slow(3_100 + laterMs))
  await clock.advance(0)
  const { id } = await first.scene.submit()
  await clock.advance(1_000)
  const second = create(slow())
  await clock.advance(40_000)
  return { clock, first, id, second, storage }
}

describe("the default lease", () => {
  it("has others go on with a killed process's tasks within twenty seconds, whenever it is killed", async () => {
    for (let moment = 0; moment < 100; moment += 1) {
      const killedMs = (moment % 10) * 350
      const { clock, first, id, second, storage } = await createNeighbours(moment * 30)
      await clock.advance(killedMs)
      const never = (): Promise<never> => new Promise(() => {})
      Object.assign(first.own, { append: never, take: never, release: never, heartbeat: never })
      // A database that is quicker now: the lease is not quite over at the heartbeat that comes fifteen seconds later.
      await clock.advance(3_100)
      second.own.heartbeat = storage.heartbeat
      await clock.advance(16_900)
      assert.ok(second.channel.calls.length > 0, `killed after ${killedMs} ms, nobody has gone on`)
      assert.deepEqual(second.scene.story(id), ["submitted", "dispatched", "accepted"])
    }
  })

  it("outlives more than ten seconds in which its process, or the database, stands still", async () => {
    for (const isAll of [false, true]) {
      for (let stalledMs = 0; stalledMs < 5_250; stalledMs += 250) {
        const { clock, first, second, storage } = await createNeighbours()
        const before = await storage.listLeases()
        await clock.advance(stalledMs)
        const until = clock.monotonicNow() + 11_500
        for (const { own } of isAll ? [first, second] : [first]) {
          own.heartbeat = async (request) => {
            await clock.wait(Math.max(0, until - clock.monotonicNow()))
            return storage.heartbeat(request)
          }
        }
        await clock.advance(60_000)
        const after = await storage.listLeases()
        const toIds = (leases: typeof after): string[] => leases.map(({ lease }) => lease)
        assert.deepEqual(toIds(after), toIds(before))
        assert.equal(second.channel.calls.length, 0)
      }
    }
  })

  it("is not that of another process, which says how long its own holds, or is of an earlier release", async () => {
    for (const [leaseMs, holdsMs] of [
      [5_000, 5_000],
      [40_000, 40_000],
      [undefined, 60_000],
    ] as const) {
      const { clock, storage } = await createNeighbours()
      const facts = { ...FACTS, ...(leaseMs !== undefined && { leaseMs }) }
      await storage.heartbeat({ lease: OTHER, heartbeats: 1, facts })
      const isThere = async (): Promise<boolean> =>
        (await storage.listLeases()).some(({ lease }) => lease === OTHER)
      await clock.advance(holdsMs - 1)
      assert.ok(await isThere(), `it is gone within ${holdsMs} ms`)
      // It was seen at the next heartbeat of a neighbour.
      await clock.advance(3_001)
      assert.ok(!(await isThere()), `it is there after ${holdsMs} ms`)
    }
  })
})

describe("a worker lease", () => {
  it("outlives any jump of the wall clock, and no second call is made", async () => {
    for (const jumpMs of [300_000, -300_000]) {
      const clock = createManualClock()
      const storage = createMemoryStorage()
      const artifacts = createMemoryArtifacts()
      const running = { kind: "running", pollAfterMs: 5_000 } as const
      const polls = [...Array.from({ length: 20 }, () => running), completed()]
      const slow = createScriptedChannel({ submission: KEYED, submits: [ACCEPTED], polls })
      const idle = createScriptedChannel({ submission: KEYED })
      const own = { ...storage }
      const first = createScene({ channels: [slow], clock, storage: own, artifacts })
      createScene({ channels: [idle], clock, storage, artifacts })
      await clock.advance(0)
      const { id } = await first.submit()
      // The other one looks twice without a beat in between, and the wall clock jumps meanwhile.
      await clock.advance(15_000)
      own.heartbeat = () => Promise.reject(new Error("down"))
      await clock.advance(15_000)
      clock.jump(jumpMs)
      await clock.advance(15_000)
      own.heartbeat = storage.heartbeat
      await clock.advance(100_000)
      assert.deepEqual(first.story(id), ["submitted", "dispatched", "accepted", "succeeded"])
      assert.deepEqual([slow.created.length, idle.calls.length], [1, 0])
      assert.equal((await storage.listLeases()).length, 2, "a lease has expired")
    }
  })

  it("stays alive while nothing is held, and is given up when the engine stops", async () => {
    const scene = createScene({ channels: [createScriptedChannel()] })
    await scene.clock.advance(200_000)
    const leases = await scene.storage.listLeases()
    assert.equal(leases.length, 1)
    for (const { heartbeats } of leases) assert.ok(heartbeats >= 10, `${heartbeats} heartbeats`)
    await scene.engine.stop()
    assert.deepEqual(await scene.storage.listLeases(), [])
  })

  it("whose answer was lost releases what it took, though its process lives", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel], isStarted: false })
    const { take } = scene.storage
    scene.storage.take = async (request) => {
      await take(request)
      scene.storage.take = take
      const message = "the connection was cut"
      throw new SafelightError({ code: "storage-unavailable", message, retryable: true })
    }
    const { id } = await scene.submit()
    scene.engine.start()
    await scene.clock.advance(4_000)
    assert.deepEqual(scene.story(id), ["submitted"], "the task was not held, unheard of")
    // Two heartbeats.
    await scene.clock.advance(10_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
  })

  it("releases what the storage holds for a process that does not know it", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: [completed(), completed()],
    })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const { id } = await scene.submit()
    await scene.clock.advance(1_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
    // As a standby has it that did not get the task's end: held by a process that has left it.
    const [own] = await scene.storage.listLeases()
    scene.storage.goBack(id, 3, own?.lease)
    await scene.clock.advance(20_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
    assert.equal(channel.created.length, 1)
  })

  it("whose answer was lost releases what it took also while other work keeps it alive", async () => {
    const running = { kind: "running", pollAfterMs: 5_000 } as const
    const polls = Array.from({ length: 100 }, () => running)
    const channel = createScriptedChannel({ submits: [ACCEPTED, completed(), completed()], polls })
    const scene = createScene({ channels: [channel] })
    const { clock, storage, artifacts } = scene
    await clock.advance(0)
    const long = await scene.submit()
    await clock.advance(1)
    assert.equal((await scene.read(long.id)).state, "running")
    const { take } = storage
    storage.take = async (request) => {
      await take(request)
      storage.take = take
      const message = "the connection was cut"
      throw new SafelightError({ code: "storage-unavailable", message, retryable: true })
    }
    const idle = createScene({ channels: [channel], clock, storage, artifacts, isStarted: false })
    const unheard = await idle.submit()
    await clock.advance(3_000)
    assert.deepEqual(scene.story(unheard.id), ["submitted"], "it was not held, unheard of")
    // Two heartbeats, and a look at the queue.
    await clock.advance(12_000)
    assert.deepEqual(scene.story(unheard.id), ["submitted", "dispatched", "succeeded"])
    assert.equal((await scene.read(long.id)).state, "running")
    assert.equal(channel.created.length, 2)
  })

  it("is renewed soon again after a renewal failed", async () => {
    const scene = createScene({ channels: [createScriptedChannel({ submits: [completed()] })] })
    await scene.clock.advance(0)
    const { heartbeat } = scene.storage
    scene.storage.heartbeat = () => Promise.reject(new Error("down"))
    await scene.clock.advance(59_000)
    scene.storage.heartbeat = heartbeat
    await scene.clock.advance(10_000)
    const { id } = await scene.submit()
    await scene.clock.advance(1_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })
})

describe("a task that can't be given back", () => {
  it("is given back later", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel], isStarted: false })
    const { readInput, release } = scene.storage
    const message = "the database does not answer"
    const fail = (): Promise<never> =>
      Promise.reject(new SafelightError({ code: "storage-unavailable", message, retryable: true }))
    Object.assign(scene.storage, { readInput: fail, release: fail })
    const { id } = await scene.submit()
    scene.engine.start()
    await scene.clock.advance(10_000)
    Object.assign(scene.storage, { readInput, release })
    assert.deepEqual(scene.story(id), ["submitted"])
    await scene.clock.advance(20_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
  })
})

describe("a wake-up from the storage", () => {
  it("has the queue looked at, until the engine stops", async () => {
    const storage = createMemoryStorage()
    const listeners = new Set<() => void>()
    storage.onQueued = (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    }
    const channel = createScriptedChannel({ submits: [completed()] })
    const settings = { idlePollMs: 50_000 }
    const scene = createScene({ channels: [channel], storage, settings })
    await scene.clock.advance(1)
    const { clock } = scene
    const other = createScene({
      channels: [createScriptedChannel()],
      storage,
      clock,
      isStarted: false,
    })
    const { id } = await other.submit()
    await clock.advance(1)
    assert.deepEqual(scene.story(id), ["submitted"])
    for (const listener of listeners) listener()
    await clock.advance(1)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
    await scene.engine.stop()
    assert.equal(listeners.size, 0)
  })
})
