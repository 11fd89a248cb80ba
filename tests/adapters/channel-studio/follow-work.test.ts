/** How long a process may take over each part of its work, by a process that only says what it is told to. */
import assert from "node:assert/strict"
import { test } from "node:test"
import { setImmediate } from "node:timers/promises"
import type { Worker } from "@safelight/host"
import { createManualClock } from "@safelight/testkit"
import { DEFAULTS } from "@safelight/channel-studio"
import type { RenderJob } from "../../../adapters/channel-studio/src/rendering-job.ts"
import { followWork } from "../../../adapters/channel-studio/src/follow-work.ts"

const JOB: RenderJob = {
  kind: "video",
  parameters: { duration: 4 },
  images: ["image-0", "image-1"],
  videos: [],
  audios: [],
}

function follow() {
  const clock = createManualClock()
  const messages: unknown[] = []
  let wake = (): void => {}
  let waiting = new AbortController()
  let kills = 0

  const worker: Worker = {
    async receive() {
      if (messages.length === 0) await new Promise<void>((resolve) => (wake = resolve))
      return messages.shift()
    },
    send: () => Promise.resolve(),
    allow(durationMs) {
      waiting.abort()
      const { signal } = (waiting = new AbortController())
      void kill(clock.wait(durationMs, signal), signal)
    },
    pause() {},
    resume() {},
    end: () => Promise.resolve({ how: "was killed for its time", isLate: kills > 0 }),
  }

  async function kill(over: Promise<void>, signal: AbortSignal): Promise<void> {
    await over
    if (signal.aborted) return
    kills += 1
    wake()
  }

  async function say(...kinds: readonly string[]): Promise<void> {
    messages.push(...kinds.map((kind) => ({ kind })))
    wake()
    await setImmediate()
  }

  const end = followWork({ worker, job: JOB, report() {} })
  return { clock, end, kills: () => kills, say }
}

test("a process that reads one file for too long is killed, and the media are unreadable", async () => {
  const { clock, end, kills, say } = follow()
  await say("reading")
  await clock.advance(DEFAULTS.readMs - 1)
  await say("reading")
  await clock.advance(DEFAULTS.readMs - 1)
  assert.equal(kills(), 0)
  await clock.advance(1)
  assert.equal(kills(), 1)
  const { kind, ...more } = await end
  assert.deepEqual([kind, "code" in more && more.code], ["refused", "media_unreadable"])
})

test("a process that says again and again that it reads gains no time by it", async () => {
  const { clock, end, kills, say } = follow()
  // Each of the two may be opened twice.
  await say("reading", "reading", "reading", "reading")
  await clock.advance(DEFAULTS.readMs - 1)
  await say("reading")
  await clock.advance(1)
  assert.equal(kills(), 1)
  assert.equal((await end).kind, "refused")
})

test("a process that paints for too long is killed, and its task ran out of time", async () => {
  const { clock, end, kills, say } = follow()
  await say("reading", "painting")
  const paintMs = DEFAULTS.paintMs + 4 * DEFAULTS.paintMsPerSecond
  await clock.advance(paintMs - 1)
  assert.equal(kills(), 0)
  await clock.advance(1)
  const { kind, ...more } = await end
  assert.deepEqual([kind, "code" in more && more.code], ["refused", "generation_timeout"])
})
