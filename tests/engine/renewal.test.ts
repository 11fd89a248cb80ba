/** Beats: three in the life of a claim, whatever else a process has to ask its storage. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError, type ReleaseRequest, type SlotRequest } from "@safelight/core"
import { createScriptedChannel, createMemoryStorage } from "@safelight/testkit"
import { completed, createScene, type Scene } from "./support.ts"

const ACCEPTED = { kind: "accepted", operation: { id: 7 } } as const
const quiet = (): Promise<never> => new Promise(() => {})

function createLost(): SafelightError {
  const message = "the database does not answer"
  return new SafelightError({ code: "storage-unavailable", message, retryable: true })
}

/** Tasks in doubt that rest until their end; none of them can be given back so far. */
async function createOwing(pausesMs: readonly number[] = [0]) {
  const channel = createScriptedChannel({
    submission: { kind: "keyed", keyTtlMs: 500 },
    submits: pausesMs.map(() => new Error("reset")),
  })
  const scene = createScene({ channels: [channel], settings: { breakerFailures: 99 } })
  const { release } = scene.storage
  scene.storage.release = () => Promise.reject(createLost())
  await scene.clock.advance(0)
  const ends = new Map<string, number>()
  for (const pauseMs of pausesMs) {
    const { endBy, id } = await scene.submit()
    ends.set(id, endBy)
    await scene.clock.advance(pauseMs)
  }
  await scene.clock.advance(5_000)
  const released: ReleaseRequest[] = []
  const takeBack = async (request: ReleaseRequest): Promise<void> => {
    released.push(request)
    await release(request)
  }
  return { ends, released, scene, takeBack }
}

/** The moments of the next beats, ms from now; a beat renews one claim for tasks and one for slots. */
function noteBeats({ clock, storage }: Scene, longMs = 0): () => readonly number[] {
  const { renew } = storage
  const startedAt = clock.monotonicNow()
  const beats: number[] = []
  storage.renew = async (request) => {
    if (!request.claim.startsWith("slots:")) beats.push(clock.monotonicNow() - startedAt)
    await clock.wait(longMs)
    return renew(request)
  }
  return () => beats
}

/** Every question for slots takes so long from now on; returns how to see what was asked. */
function slowSlots({ clock, storage }: Scene, longMs: number): () => readonly SlotRequest[] {
  const { holdSlots } = storage
  const asked: SlotRequest[] = []
  let open = 0
  storage.holdSlots = async (request) => {
    asked.push(request)
    open += 1
    assert.equal(open, 1, "two runs at once")
    await clock.wait(longMs)
    open -= 1
    return holdSlots(request)
  }
  return () => asked
}

describe("a beat", () => {
  it("comes a third of a claim after the one before began", async () => {
    const scene = createScene({ channels: [createScriptedChannel()] })
    await scene.clock.advance(0)
    const listBeats = noteBeats(scene, 4_000)
    await scene.clock.advance(85_000)
    assert.deepEqual(listBeats(), [20_000, 40_000, 60_000, 80_000])
  })

  it("does not wait for slots that are slow to be held again", async () => {
    const channels = ["one", "two"].map((name) => createScriptedChannel({ name }))
    const scene = createScene({ channels })
    await scene.clock.advance(0)
    const listBeats = noteBeats(scene)
    const listAsked = slowSlots(scene, 15_000)
    await scene.clock.advance(130_000)
    assert.deepEqual(listBeats(), [20_000, 40_000, 60_000, 80_000, 100_000, 120_000])
    // A run takes 30 seconds; the next one begins with the first beat after it.
    assert.equal(listAsked().length, 6)
  })

  it("does not wait for tasks that are slow to be given back", async () => {
    const { released, scene, takeBack } = await createOwing()
    const listBeats = noteBeats(scene)
    scene.storage.release = async (request) => {
      await scene.clock.wait(70_000)
      await takeBack(request)
    }
    await scene.clock.advance(100_000)
    assert.deepEqual(listBeats(), [15_000, 35_000, 55_000, 75_000, 95_000])
    assert.equal(released.length, 1)
  })

  it("shows a process alive that has many slots to ask for", async () => {
    const storage = createMemoryStorage()
    const polls = Array.from({ length: 20 }, () => quiet)
    const channel = createScriptedChannel({ submits: [ACCEPTED], polls })
    const scene = createScene({ channels: [channel], storage: { ...storage } })
    const { artifacts, clock } = scene
    const idle = createScriptedChannel()
    createScene({ channels: [idle], artifacts, clock, storage })
    const { id } = await scene.submit()
    await clock.advance(10_000)
    slowSlots(scene, 90_000)
    await clock.advance(250_000)
    assert.deepEqual(idle.calls, [])
    assert.equal((await storage.listClaims()).length, 4, "a claim was voided")
    assert.equal((await scene.read(id)).state, "running")
  })

  it("brings a failed question for slots again soon, and what is owed all the same", async () => {
    const { released, scene, takeBack } = await createOwing()
    let asked = 0
    scene.storage.holdSlots = () => {
      asked += 1
      return Promise.reject(createLost())
    }
    scene.storage.release = takeBack
    const listBeats = noteBeats(scene)
    await scene.clock.advance(16_500)
    assert.deepEqual([asked, released.length], [2, 1])
    await scene.clock.advance(38_500)
    assert.deepEqual(listBeats(), [15_000, 35_000, 55_000])
  })
})

describe("a stop", () => {
  it("waits for the question under way, asks no more, and gives back what is owed", async () => {
    const { released, scene, takeBack } = await createOwing()
    const listAsked = slowSlots(scene, 5_000)
    // By then the beat's own tries to give it back are over.
    await scene.clock.advance(19_000)
    scene.storage.release = takeBack
    const listBeats = noteBeats(scene)
    const stopped = scene.engine.stop()
    await scene.clock.advance(500)
    assert.equal((await scene.storage.listClaims()).length, 2)
    await scene.clock.advance(500)
    await stopped
    assert.deepEqual(await scene.storage.listClaims(), [])
    await scene.clock.advance(60_000)
    assert.deepEqual([listAsked().length, listBeats(), released.length], [1, [], 1])
  })
})

describe("tasks that are owed to the queue", () => {
  it("are given back together where claim and moment are the same", async () => {
    const { ends, released, scene, takeBack } = await createOwing([0, 0, 1_000, 0, 0])
    scene.storage.release = takeBack
    await scene.clock.advance(20_000)
    assert.deepEqual(
      released.map(({ tasks }) => tasks.length).toSorted((a, b) => a - b),
      [2, 3],
    )
    for (const { dueAt, tasks } of released) {
      for (const task of tasks) assert.equal(dueAt, ends.get(task))
    }
    assert.equal(new Set(released.flatMap(({ tasks }) => tasks)).size, 5)
    await scene.clock.advance(60_000)
    assert.equal(released.length, 2, "what was given back is owed no more")
  })

  it("are given back together where their moments have passed", async () => {
    const submits = Array.from({ length: 6 }, () => completed())
    const scene = createScene({ channels: [createScriptedChannel({ submits })], isStarted: false })
    const ids: string[] = []
    for (let count = 0; count < 6; count += 1) {
      ids.push((await scene.submit()).id)
      await scene.clock.advance(10)
    }
    const { readInput, release } = scene.storage
    let reads = 0
    scene.storage.readInput = async () => {
      reads += 1
      await scene.clock.wait(reads * 100)
      throw createLost()
    }
    scene.storage.release = () => Promise.reject(createLost())
    scene.engine.start()
    await scene.clock.advance(15_000)
    assert.equal(reads, 6)
    const released: ReleaseRequest[] = []
    Object.assign(scene.storage, {
      readInput,
      release: async (request: ReleaseRequest) => {
        released.push(request)
        return release(request)
      },
    })
    await scene.clock.advance(10_000)
    assert.deepEqual(
      released.map(({ tasks }) => tasks.length),
      [6],
    )
    for (const id of ids) assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("stay owed where the storage fails again", async () => {
    const { released, scene, takeBack } = await createOwing([1_000, 0])
    let failures = 0
    scene.storage.release = (request) => {
      if (released.length === 0 || failures === 5) return takeBack(request)
      failures += 1
      return Promise.reject(createLost())
    }
    await scene.clock.advance(60_000)
    assert.deepEqual([released.length, failures], [2, 5])
    assert.equal(new Set(released.flatMap(({ tasks }) => tasks)).size, 2)
  })
})
