/** How long a process may take over each part of its work, by a process that only says what it is told to. */
import assert from "node:assert/strict"
import type { ChildProcess } from "node:child_process"
import { EventEmitter } from "node:events"
import { test } from "node:test"
import { createManualClock } from "@safelight/testkit"
import { DEFAULTS } from "@safelight/channel-studio"
import type { RenderJob } from "../../../adapters/channel-studio/src/rendering-job.ts"
import { watchWork } from "../../../adapters/channel-studio/src/watch-work.ts"

const JOB: RenderJob = {
  kind: "video",
  parameters: { duration: 4 },
  images: ["image-0", "image-1"],
  videos: [],
  audios: [],
}

class FakeProcess extends EventEmitter {
  readonly pid = 1
  readonly killedWith: string[] = []

  kill(signal: string): void {
    this.killedWith.push(signal)
    this.emit("exit", null, signal)
  }
}

function watch() {
  const clock = createManualClock()
  const child = new FakeProcess()
  const end = watchWork({ child: child as never as ChildProcess, clock, job: JOB, report() {} })
  const say = (...kinds: readonly string[]) => {
    for (const kind of kinds) child.emit("message", { kind })
  }
  return { child, clock, end, say }
}

test("a process that reads one file for too long is killed, and the media are unreadable", async () => {
  const { child, clock, end, say } = watch()
  say("reading")
  await clock.advance(DEFAULTS.readMs - 1)
  say("reading")
  await clock.advance(DEFAULTS.readMs - 1)
  assert.deepEqual(child.killedWith, [])
  await clock.advance(1)
  assert.deepEqual(child.killedWith, ["SIGKILL"])
  const { kind, ...more } = await end
  assert.deepEqual([kind, "code" in more && more.code], ["refused", "media_unreadable"])
})

test("a process that says again and again that it reads gains no time by it", async () => {
  const { child, clock, end, say } = watch()
  // Each of the two may be opened twice.
  say("reading", "reading", "reading", "reading")
  await clock.advance(DEFAULTS.readMs - 1)
  say("reading")
  await clock.advance(1)
  assert.deepEqual(child.killedWith, ["SIGKILL"])
  assert.equal((await end).kind, "refused")
})

test("a process that paints for too long is killed, and its task ran out of time", async () => {
  const { child, clock, end, say } = watch()
  say("reading", "painting")
  const paintMs = DEFAULTS.paintMs + 4 * DEFAULTS.paintMsPerSecond
  await clock.advance(paintMs - 1)
  assert.deepEqual(child.killedWith, [])
  await clock.advance(1)
  const { kind, ...more } = await end
  assert.deepEqual([kind, "code" in more && more.code], ["refused", "generation_timeout"])
})
