/** Channels that cost nothing: where their operator allows it, what is in doubt is asked for again. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  createManualClock,
  createScriptedChannel,
  type ScriptedChannel,
  type SubmitReply,
  createMemoryStorage,
  createMemoryArtifacts,
} from "@safelight/testkit"
import { createPausable } from "./pausable.ts"
import { completed, createScene, submitTo } from "./support.ts"

const LOST = { kind: "lost", operation: { id: 7 } } as const

function createFree(
  submits: readonly SubmitReply[],
  more: Partial<ScriptedChannel> = {},
): ScriptedChannel {
  return { ...createScriptedChannel({ name: "own", isFree: true, submits }), ...more }
}

describe("a free channel whose operator allows repeats", () => {
  it("is asked again under the same key, and nobody else is", async () => {
    const channel = createFree([LOST, LOST, completed()])
    const other = createScriptedChannel({ name: "other" })
    const channels = [
      { channel, repeats: true },
      { channel: other, tier: 2 },
    ]
    const scene = createScene({ channels })
    await scene.clock.advance(0)
    const { id } = await scene.submit()
    await scene.clock.advance(60_000)
    assert.deepEqual(scene.story(id), [
      "submitted",
      "dispatched",
      "doubted",
      "dispatched",
      "doubted",
      "dispatched",
      "succeeded",
    ])
    assert.deepEqual(channel.created, [`${id}.1`, `${id}.1`, `${id}.1`])
    assert.deepEqual(other.calls, [])
    const isRepeat = channel.calls.map(({ request }) => "isRepeat" in request)
    assert.deepEqual(isRepeat, [false, false, false], "it knows no keys: each is the first")
  })

  it("is asked again by whoever takes a task over, for as long as that lives", async () => {
    const [clock, storage] = [createManualClock(), createMemoryStorage()]
    const artifacts = createMemoryArtifacts()
    const process = createPausable(clock, storage)
    const channel = createFree([() => new Promise<never>(() => {}), LOST, LOST, LOST, completed()])
    const channels = [{ channel, repeats: true }]
    const first = createScene({ ...process, channels, artifacts })
    await clock.advance(0)
    const { id } = await first.submit()
    await clock.advance(1_000)
    process.pause()
    const second = createScene({ channels, clock, artifacts, storage })
    await clock.advance(400_000)
    assert.equal((await second.read(id)).state, "succeeded.available")
    assert.deepEqual(
      [...new Set(channel.calls.map(({ request }) => request.upstreamKey))],
      [`${id}.1`],
    )
  })

  it("is left alone with what it has in doubt where its operator has not allowed it", async () => {
    const channel = createFree([LOST, completed()])
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(500_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "doubted"])
  })

  it("goes on refusing what it refuses", async () => {
    const refused = { kind: "refused", code: "content_policy_violation" } as const
    const channel = createFree([LOST, refused])
    const scene = createScene({ channels: [{ channel, repeats: true }] })
    const { id } = await scene.submit()
    await scene.clock.advance(60_000)
    assert.equal((await scene.read(id)).error?.code, "content_policy_violation")
  })

  it("has to say that it costs nothing", () => {
    const channel = createScriptedChannel({ name: "paid" })
    assert.throws(() => createScene({ channels: [{ channel, repeats: true }] }), {
      code: "invalid-configuration",
      message: /channel paid does not say that it costs nothing: repeat is not for it/,
    })
  })
})

describe("an outcome that is unknown", () => {
  it("never moves to another channel, whatever that costs and whoever is able", async () => {
    for (const submission of [
      { kind: "unkeyed" },
      { kind: "keyed", keyTtlMs: 3_600_000 },
      { kind: "lookup", longestRequestMs: 30_000 },
    ] as const) {
      const away = Array.from({ length: 99 }, () => new Error("away"))
      const one = createScriptedChannel({ name: "one", submission, submits: away })
      const channel = { ...one, ...(one.find && { find: () => Promise.reject(new Error("away")) }) }
      const other = createScriptedChannel({ name: "other", submits: [completed()] })
      const scene = createScene({ channels: [channel, { channel: other, tier: 2 }] })
      const { id } = await scene.submit()
      await scene.clock.advance(590_000)
      assert.equal((await scene.read(id)).state, "doubtful", submission.kind)
      assert.deepEqual(other.calls, [], submission.kind)
      assert.equal(new Set(one.created).size, 0)
    }
  })
})
