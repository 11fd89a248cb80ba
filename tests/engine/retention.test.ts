/** How long artifacts are kept: the account's own time at collection, then the manifest alone. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  emptyTask,
  evolve,
  GENESIS_HASH,
  project,
  SafelightError,
  sealEvents,
  toArtifacts,
  type Task,
  type TaskEvent,
} from "@safelight/core"
import { createSampleSealer, createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"
import { completed, createScene, type Scene } from "./support.ts"

const DAY_MS = 86_400_000

function setRetention({ clock, storage }: Scene, retentionMs: number | null): Promise<unknown> {
  return storage.setAccount({ id: "ada", now: clock.now(), settings: { retentionMs } })
}

async function finish(scene: Scene, count = 1): Promise<Task> {
  const { id } = await scene.submit({ prompt: "a quiet harbour", count })
  const task = await scene.engine.finished(id)
  assert.ok(task !== undefined)
  return task
}

/** How long the artifacts of a finished task are kept from its end on. */
function keptMs({ artifacts, finishedAt }: Task): number[] {
  return artifacts.map(({ expiresAt }) => expiresAt - finishedAt)
}

function createMaking(count = 1): ScriptedChannel {
  return createScriptedChannel({ submits: Array.from({ length: count }, () => completed()) })
}

/** The next `times` looks at an account fail for now; returns how often one was looked at. */
function failAccounts({ storage }: Scene, times: number): () => number {
  const { findAccount } = storage
  let looks = 0
  storage.findAccount = async (id) => {
    looks += 1
    if (looks > times) return findAccount(id)
    const message = "the database does not answer"
    throw new SafelightError({ code: "storage-unavailable", message, retryable: true })
  }
  return () => looks
}

describe("an artifact", () => {
  it("is kept as long as its account says, else as long as the setting does", async () => {
    const scene = createScene({ channels: [createMaking(3)] })
    assert.deepEqual(keptMs(await finish(scene)), [14 * DAY_MS])
    await setRetention(scene, 3 * DAY_MS)
    assert.deepEqual(keptMs(await finish(scene)), [3 * DAY_MS])
    await setRetention(scene, null)
    assert.deepEqual(keptMs(await finish(scene)), [14 * DAY_MS])
  })

  it("keeps the expiry it got when the account's time changes", async () => {
    const scene = createScene({ channels: [createMaking()] })
    await setRetention(scene, 3 * DAY_MS)
    const { id, finishedAt } = await finish(scene)
    await setRetention(scene, 30 * DAY_MS)
    assert.equal((await scene.engine.sweep(finishedAt + 3 * DAY_MS - 1)).expired, 0)
    assert.equal((await scene.engine.sweep(finishedAt + 3 * DAY_MS)).expired, 1)
    assert.equal((await scene.engine.sweep(finishedAt + 4 * DAY_MS)).removed, 1)
    assert.equal((await scene.read(id)).state, "succeeded.expired")
    assert.equal(scene.artifacts.locators.size, 0)
  })

  it("of an account that keeps longer outlives the setting", async () => {
    const scene = createScene({ channels: [createMaking()] })
    await setRetention(scene, 100 * DAY_MS)
    const { finishedAt } = await finish(scene)
    assert.equal((await scene.engine.sweep(finishedAt + 100 * DAY_MS - 1)).expired, 0)
    assert.equal(scene.artifacts.locators.size, 1)
    assert.equal((await scene.engine.sweep(finishedAt + 100 * DAY_MS)).expired, 1)
  })

  it("is looked up once a collection, however many there are", async () => {
    const { outputs } = completed()
    const two = {
      kind: "completed",
      outputs: [...outputs, ...completed("another").outputs],
    } as const
    const channel = createScriptedChannel({ submits: [completed(), two] })
    const scene = createScene({ channels: [channel] })
    // The first submission looks the account's share up, which is then known for a while.
    await finish(scene)
    const countLooks = failAccounts(scene, 0)
    assert.deepEqual(keptMs(await finish(scene, 2)), [14 * DAY_MS, 14 * DAY_MS])
    assert.equal(countLooks(), 1)
  })
})

describe("a collection whose account can't be looked up", () => {
  it("tries again until it can, and buys nothing twice", async () => {
    const channel = createMaking(2)
    const scene = createScene({ channels: [channel] })
    await finish(scene)
    await setRetention(scene, 3 * DAY_MS)
    const countLooks = failAccounts(scene, 3)
    const { id } = await scene.submit()
    await scene.clock.advance(20_000)
    const task = await scene.read(id)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
    assert.deepEqual(keptMs(task), [3 * DAY_MS])
    assert.deepEqual([countLooks(), channel.created.length], [4, 2])
  })

  it("keeps what was bought for the common time where it never can", async () => {
    const scene = createScene({ channels: [createMaking()] })
    scene.storage.findAccount = async () => {
      throw new SafelightError({ code: "storage-corrupt", message: "its rates are no JSON" })
    }
    assert.deepEqual(keptMs(await finish(scene)), [14 * DAY_MS])
  })

  it("lets go when the engine stops, and leaves the task to whoever follows it next", async () => {
    const accepted = { kind: "accepted", operation: 1 } as const
    const channel = createScriptedChannel({ submits: [accepted], polls: [completed()] })
    const scene = createScene({ channels: [channel] })
    failAccounts(scene, Infinity)
    const { id } = await scene.submit()
    await scene.clock.advance(5_000)
    await scene.engine.stop()
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "accepted"])
    assert.equal(scene.artifacts.locators.size, 0, "what was not recorded is removed")
  })
})

/** A task of before expiry was told, as the log holds it, with its bytes. */
async function storeOldResult(scene: Scene): Promise<Task> {
  const { artifacts, clock, storage } = scene
  const task = "0198c0de-0000-7000-8000-000000000009"
  const [output] = completed("old picture").outputs
  const {
    bytes,
    locator,
    sha256: digest,
  } = await artifacts.put({
    task,
    key: "image_1",
    body: output.open(),
  })
  const at = clock.now()
  const events: TaskEvent[] = [
    {
      type: "submitted",
      at,
      data: {
        account: "ada",
        commitment: "c0".repeat(32),
        endBy: at + 600_000,
        maxAttempts: 3,
        model: "model-a",
        parameters: { count: 1 },
        priceVersion: "1",
        reservationMicros: 30_000,
      },
    },
    {
      type: "dispatched",
      at,
      data: {
        attempt: 1,
        because: "its turn",
        channel: "scripted",
        lease: "lease-1",
        sendBefore: at,
        upstreamKey: "key-1",
      },
    },
    {
      type: "succeeded",
      at,
      data: {
        artifacts: [
          {
            bytes,
            durationMs: null,
            expiresAt: at + 2 * DAY_MS,
            expiryHidden: true,
            key: "image_1",
            locator,
            mimeType: "image/png",
            sha256: digest,
            type: "image",
          },
        ],
        chargeMicros: 30_000,
        cost: "unknown",
        usage: { images: 1, inputVideosMs: [], outputVideoMs: 0 },
      },
    },
  ]
  const folded = events.reduce(evolve, emptyTask(task))
  const sealed = sealEvents(
    createSampleSealer("old result"),
    { task, version: 0, hash: GENESIS_HASH },
    events,
  )
  const changes = project(folded, sealed.at(-1)?.hash ?? "", events)
  await storage.append({ task, expectedVersion: 0, events: sealed, changes })
  await storage.retain({ task, dueAt: at })
  return folded
}

describe("a result of before expiry was told", () => {
  it("is a row whose expiry is hidden, and bounded all the same", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const { id, finishedAt } = await storeOldResult(scene)
    const found = await scene.engine.findArtifacts({ account: "ada", id })
    const expiries = found?.artifacts.map(({ expiresAt, expiryHidden }) => [
      expiresAt,
      expiryHidden,
    ])
    assert.deepEqual(expiries, [[finishedAt + 2 * DAY_MS, true]])
    assert.equal((await finishedTask(scene)).expiryHidden, false)
  })

  it("expires and is removed like any other", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const { id, finishedAt } = await storeOldResult(scene)
    assert.equal((await scene.engine.sweep(finishedAt + 2 * DAY_MS - 1)).expired, 0)
    const read = async () => {
      for await (const _ of scene.engine.readArtifact({ task: id, key: "image_1" })) return "bytes"
      return "nothing"
    }
    assert.equal(await read(), "bytes")
    await scene.clock.advance(2 * DAY_MS)
    await assert.rejects(read(), { code: "artifact-missing" })
    assert.equal((await scene.engine.sweep()).expired, 1)
    assert.equal((await scene.read(id)).state, "succeeded.expired")
    await scene.clock.advance(DAY_MS)
    assert.equal((await scene.engine.sweep()).removed, 1)
    assert.equal(scene.artifacts.locators.size, 0)
  })
})

/** An artifact that is made today. */
async function finishedTask({ clock, storage, artifacts }: Scene) {
  const scene = createScene({ channels: [createMaking()], clock, storage, artifacts })
  const { id } = await finish(scene)
  const [row] = toArtifacts(await scene.read(id))
  assert.ok(row !== undefined)
  return row
}
