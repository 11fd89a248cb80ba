/**
 * How long the log of a task can get: each try is written down, and pauses between tries grow, so that its length
 * goes by its time and never by how fast a provider answers. That bounds whoever reads a log as a whole.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { SafelightError, type PollOutcome } from "@safelight/core"
import {
  createScriptedChannel,
  type ScriptedChannelOptions,
  type SubmitReply,
} from "@safelight/testkit"
import { createScene, SETTINGS, type Scene } from "./support.ts"

const { backoffMaxMs, backoffMs, endAfterMs, maxAttempts, progressStep } = SETTINGS
const HOUR_MS = 3_600_000

/** Tries of a task until its end: the growing pauses, then one for each longest pause, and the last. */
const MOST_TRIES = Math.log2(backoffMaxMs / backoffMs) + endAfterMs / backoffMaxMs + 2

/** Its beginning and its end, and two events for each try. */
const MOST_EVENTS = 2 + 2 * MOST_TRIES

/** No breaker spares the channel a call. */
function createWorld(script: ScriptedChannelOptions): Scene {
  const channels = [createScriptedChannel(script)]
  return createScene({ channels, settings: { breakerFailures: 1_000_000 } })
}

const always = (reply: SubmitReply): readonly SubmitReply[] =>
  Array.from({ length: 10_000 }, () => reply)

async function toEnd(scene: Scene): Promise<string[]> {
  const { id } = await scene.submit()
  await scene.clock.advance(endAfterMs + HOUR_MS)
  await scene.engine.sweep()
  assert.equal((await scene.read(id)).state, "failed")
  return scene.story(id)
}

const unreachable = new SafelightError({
  code: "channel-unavailable",
  message: "as a test wants it",
  retryable: true,
})
const KEYED = { kind: "keyed", keyTtlMs: 24 * HOUR_MS } as const

describe("the log of a task", () => {
  const replies: readonly (readonly [
    how: string,
    reply: SubmitReply,
    more?: ScriptedChannelOptions,
  ])[] = [
    ["makes nothing", { kind: "not-created", reason: "provider_failed", retryAfterMs: 0 }],
    ["has no room", { kind: "busy", reason: "full", retryAfterMs: 0 }],
    ["is still taking the key in", { kind: "pending" }, { submission: KEYED }],
    ["gives no answer", unreachable, { submission: KEYED }],
  ]
  for (const [how, reply, more] of replies) {
    it(`goes by its time, where its provider ${how} as fast as it is asked`, async () => {
      const story = await toEnd(createWorld({ submits: always(reply), ...more }))
      const tries = story.filter((type) => type === "dispatched").length
      // It was tried to its end, with no more and not much less than the pauses allow.
      assert.ok(tries > endAfterMs / backoffMaxMs / 2, `${tries} tries`)
      assert.ok(story.length <= MOST_EVENTS, `${story.length} of ${MOST_EVENTS} events`)
    })
  }

  it("has a few steps of an attempt's progress, however often its channel tells it", async () => {
    const polls = Array.from({ length: maxAttempts }, (): readonly PollOutcome[] => [
      ...Array.from(
        { length: 99 },
        (_, percent) => ({ kind: "running", progress: percent + 1, pollAfterMs: 100 }) as const,
      ),
      { kind: "not-created", reason: "provider_failed" },
    ]).flat()
    const submits = always({ kind: "accepted", operation: "op-7" })
    const story = await toEnd(createWorld({ submits, polls }))
    const each = ["dispatched", "accepted", "deferred"].length + Math.ceil(99 / progressStep)
    const dispatched = story.filter((type) => type === "dispatched")
    assert.equal(dispatched.length, maxAttempts)
    assert.ok(story.length <= 2 + maxAttempts * each, story.join(" "))
  })
})
