/** The breaker of a channel: it judges by calls, so a long task keeps no channel shut. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { QueueStorage } from "@safelight/core"
import { createScriptedChannel, type SubmitReply } from "@safelight/testkit"
import { completed, createScene, SETTINGS, ACCEPTED } from "./support.ts"

const RUNNING = { kind: "running", pollAfterMs: 5_000 } as const
/** Not tried again before a test is over. */
const UNAVAILABLE = { kind: "not-created", reason: "unavailable", retryAfterMs: 500_000 } as const
const { breakerFailures, breakerOpenMs } = SETTINGS

/** A channel that works on one task for as long as a test takes, then fails until it is left alone. */
async function createShut(failure: SubmitReply, ...submits: readonly SubmitReply[]) {
  const failures = Array.from({ length: breakerFailures }, () => failure)
  const channel = createScriptedChannel({
    submission: { kind: "keyed", keyTtlMs: 3_600_000 },
    submits: [ACCEPTED, ...failures, ...submits],
    polls: Array.from({ length: 400 }, () => RUNNING),
  })
  const scene = createScene({ channels: [channel] })
  const { clock } = scene
  await clock.advance(0)
  const long = await scene.submit()
  await clock.advance(0)
  const failed: string[] = []
  for (const _ of failures) {
    failed.push((await scene.submit()).id)
    await clock.advance(0)
  }
  const countCalls = (): number => channel.calls.filter(({ method }) => method === "submit").length
  assert.equal(countCalls(), 1 + breakerFailures)
  return { ...scene, channel, countCalls, failed, long }
}

/** By how many processes. */
async function countLeftAlone(
  storage: Pick<QueueStorage, "listLeases">,
  channel: string,
): Promise<number> {
  const leases = await storage.listLeases()
  return leases.filter(({ facts }) => facts?.leftAlone.includes(channel)).length
}

describe("a channel that is left alone", () => {
  it("is tried again when its time has come, though an earlier task still runs", async () => {
    const { clock, countCalls, long, read, story, submit } = await createShut(
      UNAVAILABLE,
      completed(),
    )
    const { id } = await submit()
    await clock.advance(breakerOpenMs - 1)
    assert.equal(countCalls(), 1 + breakerFailures)
    await clock.advance(1_001)
    assert.deepEqual(story(id), ["submitted", "dispatched", "succeeded"])
    assert.equal((await read(long.id)).state, "running")
  })

  it("is tried by one call at a time, until one shows that it works", async () => {
    const held = Promise.withResolvers<typeof UNAVAILABLE>()
    const trials = [() => held.promise, ACCEPTED, ACCEPTED]
    const { clock, countCalls, submit } = await createShut(UNAVAILABLE, ...trials)
    await submit()
    await submit()
    await clock.advance(breakerOpenMs + 5_000)
    assert.equal(countCalls(), 2 + breakerFailures)
    held.resolve(UNAVAILABLE)
    await clock.advance(breakerOpenMs - 1)
    assert.equal(countCalls(), 2 + breakerFailures, "a failed trial leaves it alone again")
    await submit()
    await clock.advance(5_000)
    assert.equal(countCalls(), 4 + breakerFailures, "the trial runs on and shuts nobody out")
  })

  it("is told to whoever lists channels, until it works again", async () => {
    const { channel, clock, storage, submit } = await createShut(
      UNAVAILABLE,
      UNAVAILABLE,
      completed(),
    )
    const { idlePollMs } = SETTINGS
    await clock.advance(idlePollMs)
    assert.equal(await countLeftAlone(storage, channel.name), 1)
    await submit()
    await clock.advance(breakerOpenMs + idlePollMs)
    assert.equal(
      await countLeftAlone(storage, channel.name),
      1,
      "a trial that failed changes nothing",
    )
    await submit()
    await clock.advance(breakerOpenMs + 2 * idlePollMs)
    assert.equal(await countLeftAlone(storage, channel.name), 0)
  })

  it("is not told any more once the process has stopped", async () => {
    const { channel, clock, engine, storage } = await createShut(UNAVAILABLE)
    await clock.advance(SETTINGS.idlePollMs)
    assert.equal(await countLeftAlone(storage, channel.name), 1)
    await engine.stop()
    assert.equal(await countLeftAlone(storage, channel.name), 0)
  })

  it("has what waits left in the queue while one task tries it", async () => {
    const held = Promise.withResolvers<typeof UNAVAILABLE>()
    const { clock, countCalls, storage, submit } = await createShut(UNAVAILABLE, () => held.promise)
    const waiting = [await submit(), await submit(), await submit()]
    const front = async (): Promise<unknown[]> => {
      const request = { models: ["model-a"], now: clock.now(), most: 9 }
      const { startTag, takeable } = await storage.peekQueue(request)
      return [takeable, startTag]
    }
    const [count, startTag] = await front()
    assert.equal(count, waiting.length)
    await clock.advance(breakerOpenMs + 5_000)
    assert.equal(countCalls(), 2 + breakerFailures)
    // One was taken, the others wait in line as before.
    assert.equal((await front())[0], waiting.length - 1)
    assert.ok(Number((await front())[1]) > Number(startTag))
  })

  it("has its doubts settled then, though an earlier task still runs", async () => {
    const { clock, failed, story } = await createShut({ kind: "lost", operation: { id: 8 } })
    await clock.advance(breakerOpenMs + 5_000)
    for (const id of failed) {
      assert.deepEqual(story(id), ["submitted", "dispatched", "doubted", "dispatched", "accepted"])
    }
  })

  it("is not kept shut by a task that came to no call", async () => {
    const { clock, countCalls, engine, story, submit } = await createShut(UNAVAILABLE, completed())
    const erased = await submit()
    await engine.erase({ account: erased.account, id: erased.id })
    await clock.advance(breakerOpenMs + 5_000)
    assert.deepEqual(story(erased.id), ["submitted", "failed"])
    assert.equal(countCalls(), 1 + breakerFailures)
    const { id } = await submit()
    await clock.advance(5_000)
    assert.deepEqual(story(id), ["submitted", "dispatched", "succeeded"])
  })

  it("is not, however many requests in a row are turned down for what they say themselves", async () => {
    const turnedDown = { ...UNAVAILABLE, reason: "unfit", isAboutRequest: true } as const
    const unfit = Array.from({ length: breakerFailures * 3 }, () => turnedDown)
    const channel = createScriptedChannel({ submits: [...unfit, completed()] })
    const { clock, story, submit } = createScene({ channels: [channel] })
    await clock.advance(0)
    for (const _ of unfit) {
      await submit()
      await clock.advance(0)
    }
    const { id } = await submit()
    await clock.advance(0)
    assert.deepEqual(story(id), ["submitted", "dispatched", "succeeded"])
  })
})
