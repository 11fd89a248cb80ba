/** A result that comes with the answer to a purchase: nobody can have it again, and it has an end. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError, untilAborted, type SubmitOutcome } from "@safelight/core"
import {
  createManualClock,
  createScriptedChannel,
  type PollReply,
  createMemoryArtifacts,
  type MemoryArtifacts,
  createMemoryStorage,
} from "@safelight/testkit"
import { createPausable } from "./pausable.ts"
import { completed, createScene, type Scene, ACCEPTED, submitTo } from "./support.ts"

/** More than a claim lasts with the time until that is noticed. */
const TAKEN_OVER_MS = 130_000

/** Artifacts that end a put with its signal, as the port says. */
function createArtifacts(): MemoryArtifacts {
  const artifacts = createMemoryArtifacts()
  const toReason = (): SafelightError => new SafelightError({ code: "aborted", message: "cut" })
  return {
    ...artifacts,
    put: ({ body, signal, ...request }) =>
      artifacts.put({ ...request, body: signal ? untilAborted(body, signal, toReason) : body }),
  }
}

/** A picture whose body stalls after its first bytes, or for as long as it is told to. */
function createStalling(waiting: () => Promise<unknown> = () => new Promise(() => {})) {
  async function* stall(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("pic")
    await waiting()
    yield Buffer.from("ture")
  }
  return { kind: "completed", outputs: [{ mimeType: "image/png", open: stall }] } as const
}

/** One slot, and after the first answer one that is whole. */
function createStalled(submit: SubmitOutcome, polls: readonly PollReply[] = []): Scene {
  const channel = createScriptedChannel({ concurrency: 1, submits: [submit, completed()], polls })
  return createScene({ channels: [channel], artifacts: createArtifacts() })
}

describe("an answer that comes while its process stops", () => {
  it("is waited for, and what came with it is kept", async () => {
    const answer = async (): Promise<SubmitOutcome> => {
      await scene.clock.wait(60_000)
      return completed()
    }
    const times = { submitTimeoutMs: 400_000, sendWithinMs: 15_000 }
    const scene: Scene = createScene({
      channels: [createScriptedChannel({ ...times, submits: [answer] })],
    })
    const { id } = await scene.submit()
    await scene.clock.advance(1_000)
    let isStopped = false
    void scene.engine.stop({ graceMs: 1_000 }).then(() => (isStopped = true))
    await scene.clock.advance(50_000)
    assert.deepEqual([isStopped, scene.story(id)], [false, ["submitted", "dispatched"]])
    await scene.clock.advance(10_000)
    assert.deepEqual([isStopped, scene.story(id).at(-1)], [true, "succeeded"])
  })

  it("has no more than a poll's time to be kept", async () => {
    const answer = async (): Promise<SubmitOutcome> => {
      await scene.clock.wait(9_000)
      return createStalling()
    }
    const scene: Scene = createScene({
      channels: [createScriptedChannel({ submits: [answer] })],
      artifacts: createArtifacts(),
    })
    const { id } = await scene.submit()
    await scene.clock.advance(1_000)
    let isStopped = false
    void scene.engine.stop({ graceMs: 1_000 }).then(() => (isStopped = true))
    await scene.clock.advance(27_000)
    assert.equal(isStopped, false)
    await scene.clock.advance(3_000)
    assert.deepEqual([isStopped, scene.story(id).at(-1)], [true, "doubted"])
  })
})

describe("a body that stalls", () => {
  it("is cut off by a stop, and what became of it is in doubt", async () => {
    const scene = createStalled(createStalling())
    const { id } = await scene.submit()
    await scene.clock.advance(5_000)
    let isStopped = false
    void scene.engine.stop({ graceMs: 1_000 }).then(() => (isStopped = true))
    await scene.clock.advance(2_000)
    assert.ok(isStopped)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "doubted"])
    assert.equal(scene.artifacts.locators.size, 0)
  })

  it("holds its slot until its task's end and no longer", async () => {
    for (const scene of [
      createStalled(createStalling()),
      createStalled(ACCEPTED, [createStalling(), { kind: "running", pollAfterMs: 1_000 }]),
    ]) {
      const { id } = await scene.submit()
      const next = await scene.submit()
      await scene.clock.advance(590_000)
      assert.deepEqual([(await scene.read(id)).error, scene.story(next.id)], [null, ["submitted"]])
      await scene.clock.advance(9_000)
      const other = await scene.submit()
      await scene.clock.advance(5_000)
      assert.notEqual((await scene.read(id)).error, null)
      assert.equal((await scene.read(other.id)).state, "succeeded.available")
    }
  })

  it("has a poll's time though its task's end is near, or past", async () => {
    for (const answerMs of [9_900, 10_100]) {
      const submits = [
        async () => {
          await scene.clock.wait(answerMs)
          return createStalling(() => scene.clock.wait(5_000))
        },
      ]
      const channel = createScriptedChannel({ submits, submitTimeoutMs: 20_000 })
      const settings = { endAfterMs: 10_000 }
      const { scene, id } = await submitTo(channel, { artifacts: createArtifacts(), settings })
      await scene.clock.advance(20_000)
      assert.equal((await scene.read(id)).state, "succeeded.available")
    }
  })
})

/** A picture whose bytes fail as `fail` says the first two times that they are asked for. */
function createFailing(fail: () => Error): SubmitOutcome {
  let opened = 0
  async function* open(): AsyncGenerator<Uint8Array> {
    opened += 1
    yield Buffer.from("pic")
    if (opened <= 2) throw fail()
    yield Buffer.from("ture")
  }
  return { kind: "completed", outputs: [{ mimeType: "image/png", open }] }
}

describe("an output that came with the answer, which nobody else has", () => {
  it("is opened anew when its channel throws whatever it throws", async () => {
    const channel = createScriptedChannel({
      submits: [createFailing(() => new TypeError("terminated"))],
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(60_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
    assert.deepEqual([...scene.artifacts.locators.values()].map(String), ["picture"])
    assert.equal(channel.created.length, 1)
  })

  it("is stored once a host's storage of artifacts works again, whatever that threw", async () => {
    const artifacts = createMemoryArtifacts()
    let puts = 0
    const put: MemoryArtifacts["put"] = (request) => {
      puts += 1
      return puts <= 2 ? Promise.reject(new TypeError("fetch failed")) : artifacts.put(request)
    }
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel], artifacts: { ...artifacts, put } })
    const { id } = await scene.submit()
    await scene.clock.advance(60_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
    assert.equal(channel.created.length, 1)
  })
})

describe("a lost claim", () => {
  /** A process that loses its claim with a completed result in its hands, and the accounts unreadable. */
  async function createLoser(isPolled: boolean) {
    const clock = createManualClock()
    const storage = createMemoryStorage()
    const artifacts = createMemoryArtifacts()
    const process = createPausable(clock, storage)
    const script = isPolled
      ? { submits: [ACCEPTED], polls: [completed("loser")] }
      : { submits: [completed("loser")] }
    const scene = createScene({
      channels: [createScriptedChannel(script)],
      artifacts,
      clock: process.clock,
      storage: process.storage,
      async probe(point) {
        if (point === "collect:before-put") process.pause()
        await process.standStill()
      },
    })
    await clock.advance(0)
    const { id } = await scene.submit()
    await clock.advance(1_000)
    const channel = createScriptedChannel({ polls: [completed("winner")] })
    const other = createScene({ channels: [channel], artifacts, clock, storage })
    await clock.advance(TAKEN_OVER_MS)
    const { findAccount } = process.storage
    const message = "the database does not answer"
    process.storage.findAccount = () =>
      Promise.reject(new SafelightError({ code: "storage-unavailable", message, retryable: true }))
    process.resume()
    await clock.advance(60_000)
    Object.assign(process.storage, { findAccount })
    await clock.advance(60_000)
    return { artifacts, id, other }
  }

  it("costs no result that came with the answer, however long its account can't be read", async () => {
    const { artifacts, id, other } = await createLoser(false)
    assert.deepEqual(other.story(id), ["submitted", "dispatched", "doubted", "succeeded"])
    assert.deepEqual([...artifacts.locators.values()].map(String), ["loser"])
    const { artifacts: manifest, chargeMicros } = await other.read(id)
    assert.deepEqual([manifest.length, chargeMicros], [1, 30_000])
  })

  it("ends the collection of a result that whoever has the claim now polls again", async () => {
    const { artifacts, id, other } = await createLoser(true)
    assert.deepEqual(other.story(id), ["submitted", "dispatched", "accepted", "succeeded"])
    assert.equal(artifacts.locators.size, 1)
  })
})
