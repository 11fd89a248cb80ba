/** A channel that has no room, or is still taking a key in: neither is held against it, or buys twice. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createScriptedChannel } from "@safelight/testkit"
import { completed, createScene, SETTINGS, submitTo } from "./support.ts"

const BUSY = { kind: "busy", reason: "queue_full" } as const
const PENDING = { kind: "pending" } as const
const ACCEPTED = { kind: "accepted", operation: "op-7" } as const
const KEYED = { kind: "keyed", keyTtlMs: 3_600_000 } as const

describe("a channel that has no room", () => {
  it("is left alone for as long as it asks, and spends no attempt and no breaker", async () => {
    const submits = [{ ...BUSY, retryAfterMs: 20_000 }, completed(), completed()]
    const channel = createScriptedChannel({ submits })
    const settings = { breakerFailures: 1, breakerOpenMs: 500_000, maxAttempts: 1 }
    const scene = createScene({ channels: [channel], settings })
    const first = await scene.submit()
    await scene.clock.advance(1_000)
    const second = await scene.submit()
    await scene.clock.advance(18_000)
    assert.deepEqual(scene.story(first.id), ["submitted", "dispatched", "deferred"])
    assert.deepEqual(scene.story(second.id), ["submitted"])
    await scene.clock.advance(10_000)
    const deferred = scene.history(first.id).find(({ type }) => type === "deferred")
    assert.ok(deferred?.type === "deferred")
    const { spentAttempts } = await scene.read(first.id)
    assert.deepEqual([deferred.data.reason, spentAttempts], ["queue_full", 0])
    for (const { id } of [first, second]) {
      assert.equal((await scene.read(id)).state, "succeeded.available")
    }
    assert.equal(channel.calls.length, 3)
  })

  it("has others asked meanwhile, of its tier and the next", async () => {
    const full = createScriptedChannel({
      name: "full",
      submits: [{ ...BUSY, retryAfterMs: 60_000 }],
    })
    const other = createScriptedChannel({ name: "other", submits: [completed(), completed()] })
    const scene = createScene({
      channels: [
        { channel: full, tier: 1 },
        { channel: other, tier: 2 },
      ],
    })
    const { id } = await scene.submit()
    await scene.clock.advance(1_000)
    const next = await scene.submit()
    await scene.clock.advance(10_000)
    for (const task of [await scene.read(id), await scene.read(next.id)]) {
      assert.deepEqual([task.state, task.dispatch?.channel], ["succeeded.available", "other"])
    }
    assert.equal(full.calls.length, 1)
  })

  it("proves nothing of a first call where a repeat is turned away so", async () => {
    const lost = { kind: "lost", operation: "op-7" } as const
    const channel = createScriptedChannel({ submits: [lost], polls: [completed()] })
    const answers = [channel.submit, async () => BUSY]
    const flaky = {
      ...channel,
      submission: KEYED,
      submit: (request: Parameters<typeof channel.submit>[0]) =>
        (answers.shift() ?? (async () => ACCEPTED))(request),
    }
    const scene = createScene({ channels: [{ channel: flaky }] })
    const { id } = await scene.submit()
    await scene.clock.advance(30_000)
    const story = scene.story(id)
    assert.deepEqual(story.slice(0, 5), [
      "submitted",
      "dispatched",
      "doubted",
      "dispatched",
      "doubted",
    ])
    assert.equal(story.at(-1), "succeeded")
    assert.equal((await scene.read(id)).dispatch?.upstreamKey, `${id}.1`)
  })
})

describe("a key that is still being taken in", () => {
  it("is sent again until it is accepted, and stays the same", async () => {
    const submits = [PENDING, PENDING, ACCEPTED]
    const channel = createScriptedChannel({ submission: KEYED, submits, polls: [completed()] })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(30_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
    const keys = channel.calls.map(({ request }) => request.upstreamKey)
    assert.deepEqual(new Set(keys), new Set([`${id}.1`]))
    assert.deepEqual(channel.created, [`${id}.1`])
  })

  it("means nothing where keys are not honoured: the call is in doubt", async () => {
    const channel = createScriptedChannel({ submits: [PENDING] })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(60_000)
    assert.equal((await scene.read(id)).state, "doubtful")
    assert.equal(channel.calls.length, 1)
  })
})

describe("a look-up", () => {
  it("waits for what the channel's list lags behind", async () => {
    const lookup = { kind: "lookup", longestRequestMs: 5_000, listLagMs: 120_000 } as const
    const channel = createScriptedChannel({
      submission: lookup,
      submits: [{ kind: "lost", operation: "op-7" }],
      polls: [completed()],
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(SETTINGS.leaseMs + 5_000 + 115_000)
    assert.equal((await scene.read(id)).state, "doubtful")
    await scene.clock.advance(20_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })
})
