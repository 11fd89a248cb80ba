/** How often a channel is asked in a minute: over all nodes, costing nothing where the minute is full. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { ChannelRequest } from "@safelight/core"
import { createScriptedChannel, type ManualClock, type SubmitReply } from "@safelight/testkit"
import { completed, createScene } from "./support.ts"

const MINUTE_MS = 60_000
const RUNNING = { kind: "running", pollAfterMs: 1_000 } as const

/** A channel that is asked three times a minute at most, and when it was. */
function createSlow(clock: () => ManualClock, replies: readonly SubmitReply[] = []) {
  const sentAt: number[] = []
  const rest = Array.from({ length: 40 }, () => completed())
  const submits = [...replies, ...rest].map((reply) => async (request: ChannelRequest) => {
    sentAt.push(clock().now())
    return typeof reply === "function" ? reply(request) : reply
  })
  const polls = Array.from({ length: 99 }, () => RUNNING)
  const scripted = createScriptedChannel({ name: "slow", requestsPerMinute: 3, submits, polls })
  return { channel: scripted, sentAt }
}

/** The most requests of any sixty seconds. */
function countMost(moments: readonly number[]): number {
  const within = (from: number) => moments.filter((at) => at >= from && at < from + MINUTE_MS)
  return Math.max(0, ...moments.map((from) => within(from).length))
}

describe("a channel that may be asked so often in a minute", () => {
  it("is asked no more often in any minute, and as often over many", async () => {
    const { channel, sentAt } = createSlow(() => scene.clock)
    const scene: ReturnType<typeof createScene> = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const tasks = []
    for (let count = 0; count < 8; count += 1) tasks.push(await scene.submit())
    await scene.clock.advance(1_000)
    assert.equal(sentAt.length, 3)
    await scene.clock.advance(3 * MINUTE_MS)
    assert.equal(countMost(sentAt), 3)
    assert.equal(sentAt.length, 8)
    for (const { id } of tasks) {
      assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
    }
  })

  it("has a full minute as it would have no room: others are asked, and no attempt is spent", async () => {
    const { channel } = createSlow(() => scene.clock)
    const other = createScriptedChannel({
      name: "other",
      submits: Array.from({ length: 9 }, () => completed()),
    })
    const scene: ReturnType<typeof createScene> = createScene({
      channels: [
        { channel, tier: 1 },
        { channel: other, tier: 2 },
      ],
    })
    await scene.clock.advance(0)
    const tasks = []
    for (let count = 0; count < 5; count += 1) tasks.push(await scene.submit())
    await scene.clock.advance(2_000)
    const dispatches = await Promise.all(
      tasks.map(async ({ id }) => (await scene.read(id)).dispatch),
    )
    assert.deepEqual(
      dispatches.map((dispatch) => dispatch?.channel),
      ["slow", "slow", "slow", "other", "other"],
    )
    const because = "tier 2, 1 of 2 channels able; slow: its minute is full"
    assert.equal(dispatches[4]?.because, because)
  })

  it("is asked no more often by two processes together", async () => {
    const { channel, sentAt } = createSlow(() => one.clock)
    const one: ReturnType<typeof createScene> = createScene({ channels: [channel] })
    const { artifacts, clock, storage } = one
    const two = createScene({ channels: [channel], artifacts, clock, storage })
    await clock.advance(5_000)
    for (let count = 0; count < 6; count += 1) {
      await one.submit()
      await two.submit()
    }
    await clock.advance(4 * MINUTE_MS)
    assert.equal(countMost(sentAt), 3)
    await clock.advance(2 * MINUTE_MS)
    assert.equal(sentAt.length, 12)
  })

  it("has its polls not counted, nor tasks that came to no request", async () => {
    const accepted = { kind: "accepted", operation: { id: 7 } } as const
    const { channel, sentAt } = createSlow(() => scene.clock, [accepted, accepted])
    const scene: ReturnType<typeof createScene> = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    await scene.storage.setAccount({
      id: "poor",
      now: scene.clock.now(),
      settings: { budgetMicros: 1 },
    })
    const parameters = { prompt: "a quiet harbour" }
    for (let count = 0; count < 9; count += 1) {
      const request = { account: "poor", model: "model-a", parameters }
      assert.equal((await scene.engine.submit(request)).kind, "rejected")
    }
    await scene.submit()
    await scene.submit()
    await scene.clock.advance(20_000)
    const polls = channel.calls.filter(({ method }) => method === "poll")
    assert.ok(polls.length > 9)
    await scene.submit()
    await scene.clock.advance(1_000)
    assert.equal(sentAt.length, 3)
  })

  it("counts a request that is sent again after a doubt", async () => {
    const lost = { kind: "lost", operation: { id: 7 } } as const
    const keyed = { kind: "keyed", keyTtlMs: 3_600_000 } as const
    const channel = createScriptedChannel({
      submission: keyed,
      requestsPerMinute: 2,
      submits: [lost, completed()],
      polls: Array.from({ length: 99 }, () => RUNNING),
    })
    const scene = createScene({ channels: [channel] })
    await scene.clock.advance(0)
    const { id } = await scene.submit()
    await scene.clock.advance(5_000)
    assert.equal((await scene.read(id)).state, "running", "it was sent twice")
    const next = await scene.submit()
    await scene.clock.advance(50_000)
    assert.deepEqual(scene.story(next.id), ["submitted"])
    await scene.clock.advance(15_000)
    assert.equal((await scene.read(next.id)).state, "succeeded.available")
  })

  it("is refused where that is no positive integer", () => {
    for (const requestsPerMinute of [0, 1.5, -1, Number.NaN]) {
      const channel = createScriptedChannel({ requestsPerMinute })
      assert.throws(() => createScene({ channels: [channel] }), {
        code: "invalid-configuration",
        message: /channel scripted needs requestsPerMinute to be a positive integer/,
      })
    }
  })
})
