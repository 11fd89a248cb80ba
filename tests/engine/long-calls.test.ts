/** Calls that last longer than a lease: only their beginning is bounded by it, and no answer is lost. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Submission, SubmitOutcome } from "@safelight/core"
import { createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"
import { completed, createScene, type Scene } from "./support.ts"

/** Five leases long. */
const CALL_MS = 300_000
const LONG = { submitTimeoutMs: 400_000, sendWithinMs: 15_000 } as const

const SUBMISSIONS: readonly Submission[] = [
  { kind: "unkeyed" },
  { kind: "lookup", longestRequestMs: 400_000 },
  { kind: "keyed", keyTtlMs: 3_600_000 },
]

/** Answers five minutes after it was asked. */
function createSlowChannel(scene: () => Scene, submission: Submission): ScriptedChannel {
  const answer = async (): Promise<SubmitOutcome> => {
    await scene().clock.wait(CALL_MS)
    return completed()
  }
  return createScriptedChannel({ ...LONG, submission, submits: [answer] })
}

/** Its lease is renewed no more, as where a database answers a node too slowly. */
function loseLease({ storage }: Scene): void {
  const never = (): Promise<never> => new Promise(() => {})
  Object.assign(storage, { take: never, heartbeat: never, expire: never })
}

describe("a call that lasts longer than a lease", () => {
  for (const submission of SUBMISSIONS) {
    it(`is waited for, and its answer recorded: ${submission.kind}`, async () => {
      const channel = createSlowChannel(() => scene, submission)
      const scene: Scene = createScene({ channels: [channel] })
      const { id } = await scene.submit()
      await scene.clock.advance(CALL_MS + 1_000)
      assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
      assert.equal(channel.calls.length, 1)
    })
  }

  for (const submission of SUBMISSIONS.slice(0, 2)) {
    it(`is not made again by who takes its task over: ${submission.kind}`, async () => {
      const channel = createSlowChannel(() => first, submission)
      const first: Scene = createScene({ channels: [channel] })
      const { id } = await first.submit()
      await first.clock.advance(1)
      const storage = { ...first.storage }
      loseLease(first)
      const idle = createScriptedChannel({ ...LONG, submission })
      const { artifacts, clock } = first
      const second = createScene({ channels: [idle], storage, artifacts, clock })
      await clock.advance(CALL_MS - 10_000)
      assert.deepEqual(second.story(id), ["submitted", "dispatched", "doubted"])
      await clock.advance(20_000)
      assert.deepEqual(second.story(id), ["submitted", "dispatched", "doubted", "succeeded"])
      assert.deepEqual([channel.created.length, idle.calls.length], [1, 0])
    })
  }

  it("is repeated under its own key by who takes its task over, where keys are honoured", async () => {
    const keyed: Submission = { kind: "keyed", keyTtlMs: 3_600_000 }
    const channel = createSlowChannel(() => first, keyed)
    const first: Scene = createScene({ channels: [channel] })
    const { id } = await first.submit()
    await first.clock.advance(1)
    const storage = { ...first.storage }
    loseLease(first)
    const other = createScriptedChannel({ ...LONG, submission: keyed, submits: [completed()] })
    const { artifacts, clock } = first
    const second = createScene({ channels: [other], storage, artifacts, clock })
    await clock.advance(CALL_MS + 1_000)
    const story = ["submitted", "dispatched", "doubted", "dispatched", "succeeded"]
    assert.deepEqual(second.story(id), story)
    const keys = [...channel.calls, ...other.calls].map(({ request }) => request.upstreamKey)
    assert.deepEqual(keys, [`${id}.1`, `${id}.1`])
  })

  it("is not begun once the lease is over", async () => {
    const channel = createScriptedChannel({ ...LONG, submits: [completed(), completed()] })
    const scene = createScene({
      channels: [channel],
      async probe(point) {
        // The process stands still behind its intent, and is renewed no more.
        if (point !== "dispatch:after-append" || channel.calls.length > 0) return
        loseLease(scene)
        await scene.clock.wait(61_000)
      },
    })
    const { id } = await scene.submit()
    await scene.clock.advance(65_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "deferred"])
    assert.equal(channel.calls.length, 0)
  })
})

describe("a channel with long calls", () => {
  it("is refused where it would be asked for a key while the call is under way", () => {
    const submission = { kind: "lookup", longestRequestMs: 399_999 } as const
    const channel = createScriptedChannel({ ...LONG, submission })
    assert.throws(() => createScene({ channels: [channel] }), {
      code: "invalid-configuration",
      message: /longestRequestMs of channel scripted/,
    })
  })
})
