/** Slots that nobody uses any more come back to the storage, also where it fails on the way. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError, type SlotRequest } from "@safelight/core"
import { createScriptedChannel, createMemoryStorage, type MemoryStorage } from "@safelight/testkit"
import { completed, createScene, SETTINGS } from "./support.ts"

const ACCEPTED = { kind: "accepted", operation: { id: 7 } } as const
const RUNNING = { kind: "running", pollAfterMs: 1_000 } as const
/** An account's settings are remembered for 10 s, and a full one is asked about every 8 s. */
const NOTICED_MS = 20_000
/** Slots that were unused for 3 s are given back. */
const UNUSED_MS = 5_000
/** The claim for slots of a process that there is not. */
const ANOTHER = "slots:another"
const RENEWED_MS = SETTINGS.claimMs / 3 + 1_000

function isGivingBack({ claim, pool, count }: SlotRequest): boolean {
  return pool === "account:ada" && claim !== ANOTHER && count === 0
}

/** How many of `size` slots another process could have now. */
async function countLeft(storage: MemoryStorage, pool: string, size: number): Promise<number> {
  const request = { pool, size, claim: ANOTHER }
  const left = await storage.holdSlots({ ...request, count: size })
  await storage.holdSlots({ ...request, count: 0 })
  return left
}

/** A process with `ada`, who may run two tasks at once; each runs until the test ends it. */
async function createBounded() {
  const over = new Set<string>()
  const running = new Set<string>()
  const channel = createScriptedChannel({
    submits: Array.from({ length: 20 }, () => ({ task }: { readonly task: string }) => {
      running.add(task)
      return ACCEPTED
    }),
    polls: Array.from({ length: 1_000 }, () => ({ task }: { readonly task: string }) => {
      if (!over.has(task)) return RUNNING
      running.delete(task)
      return completed()
    }),
  })
  const scene = createScene({ channels: [channel] })
  const { clock, storage, submit } = scene
  const setBound = (runningTasks: number | null): Promise<unknown> =>
    storage.setAccount({ id: "ada", now: clock.now(), settings: { runningTasks } })
  await setBound(2)
  await clock.advance(0)

  async function run(count: number): Promise<void> {
    for (let made = 0; made < count; made += 1) await submit()
    await clock.advance(0)
  }
  async function end(count: number): Promise<void> {
    for (const task of [...running].slice(0, count)) over.add(task)
    await clock.advance(1_000)
  }
  const countFree = (): Promise<number> => countLeft(storage, "account:ada", 2)
  return { clock, countFree, end, run, running, setBound, storage }
}

describe("the slots of an account whose bound was lifted", () => {
  it("come back as its tasks end", async () => {
    const { clock, countFree, end, run, running, setBound } = await createBounded()
    await run(2)
    await setBound(null)
    await clock.advance(NOTICED_MS)
    await run(2)
    assert.equal(running.size, 4)
    assert.equal(await countFree(), 0)
    for (const left of [1, 2]) {
      await end(1)
      await clock.advance(UNUSED_MS)
      assert.equal(await countFree(), left)
    }
  })

  it("come back also where the storage fails on the way", async () => {
    const { clock, countFree, end, run, setBound, storage } = await createBounded()
    await run(2)
    await setBound(null)
    await clock.advance(NOTICED_MS)
    failOnce(storage, isGivingBack)
    await end(2)
    await clock.advance(UNUSED_MS)
    assert.equal(await countFree(), 2)
  })

  it("are those that count when it has a bound again", async () => {
    const { clock, countFree, end, run, running, setBound } = await createBounded()
    await run(2)
    await setBound(null)
    await clock.advance(NOTICED_MS)
    await setBound(2)
    await clock.advance(NOTICED_MS)
    await run(2)
    await clock.advance(NOTICED_MS)
    assert.equal(running.size, 2)
    await end(2)
    await clock.advance(NOTICED_MS)
    assert.equal(running.size, 2)
    assert.equal(await countFree(), 0)
  })

  it("come back where it was bounded to none", async () => {
    const { clock, countFree, end, run, setBound } = await createBounded()
    await run(2)
    await setBound(0)
    await clock.advance(NOTICED_MS)
    await end(2)
    await clock.advance(NOTICED_MS)
    assert.equal(await countFree(), 2)
  })
})

describe("the slots of an account without work", () => {
  it("come back also where the storage fails on the way", async () => {
    const { clock, countFree, end, run, storage } = await createBounded()
    await run(1)
    failOnce(storage, isGivingBack)
    await end(1)
    await clock.advance(2 * UNUSED_MS)
    assert.equal(await countFree(), 2)
  })

  it("come back also where a renewal says meanwhile that they are held", async () => {
    const { clock, countFree, end, run, storage } = await createBounded()
    await run(1)
    const { holdSlots } = storage
    storage.holdSlots = async (request) => {
      if (isGivingBack(request)) {
        storage.holdSlots = holdSlots
        await clock.wait(RENEWED_MS)
      }
      return holdSlots(request)
    }
    await end(1)
    await clock.advance(UNUSED_MS + RENEWED_MS + UNUSED_MS)
    assert.equal(storage.holdSlots, holdSlots, "nothing was given back")
    assert.equal(await countFree(), 2)
  })
})

describe("the slots of a channel without work", () => {
  it("come back with the next renewal where the storage failed", async () => {
    const storage = createMemoryStorage()
    // Another process, so that not all are its own.
    await storage.renew({ claim: ANOTHER, tasks: [] })
    const { clock } = createScene({ channels: [createScriptedChannel()], storage })
    await clock.advance(0)
    assert.equal(await countLeft(storage, "channel:scripted", 8), 4)
    failOnce(storage, ({ claim, count }) => claim !== ANOTHER && count === 0)
    await clock.advance(UNUSED_MS)
    assert.equal(await countLeft(storage, "channel:scripted", 8), 4)
    await clock.advance(RENEWED_MS)
    assert.equal(await countLeft(storage, "channel:scripted", 8), 8)
  })
})

/** The next question of that kind has no answer and changes nothing. */
function failOnce(storage: MemoryStorage, isMeant: (request: SlotRequest) => boolean): void {
  const { holdSlots } = storage
  storage.holdSlots = (request) => {
    if (!isMeant(request)) return holdSlots(request)
    storage.holdSlots = holdSlots
    const message = "the connection was lost"
    const lost = { code: "storage-unavailable", message, retryable: true } as const
    return Promise.reject(new SafelightError(lost))
  }
}
