/** A database that went back in time: what this process knows is written down again, or told. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { hashEvent } from "@safelight/core"
import { sha256 } from "@safelight/engine"
import { advanceSample, createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { completed, createScene, ACCEPTED, submitTo } from "./support.ts"

const RUNNING = { kind: "running", pollAfterMs: 1_000 } as const

function countSubmits({ calls }: ScriptedChannel): number {
  return calls.filter(({ method }) => method === "submit").length
}

describe("a database that has lost a task's last events", () => {
  it("gets back what was bought, under the same key, and the task succeeds", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: [
        RUNNING,
        ({ task }) => {
          scene.storage.goBack(task, 1)
          return completed()
        },
      ],
    })
    const { entries, log } = createLogRecorder()
    const { scene, id } = await submitTo(channel, { log })
    await scene.clock.advance(60_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "accepted", "succeeded"])
    const { because, upstreamKey: key } = (await scene.read(id)).dispatch ?? {}
    assert.equal(key, `${id}.1`)
    assert.match(because ?? "", /^written down again: the database had lost it \(tier 1/)
    assert.equal(countSubmits(channel), 1)
    const [lost] = entries.filter(({ level }) => level === "error")
    assert.equal(lost?.message, "events lost")
    const { channel: name, found, operation, task, upstreamKey, version } = lost.fields
    const expected = [id, "scripted", `${id}.1`, { id: 7 }, 3, 1]
    assert.deepEqual([task, name, upstreamKey, operation, version, found], expected)
  })

  it("leads to no second purchase where its process takes the task up again itself", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED, ACCEPTED],
      polls: Array.from({ length: 40 }, (_, index) => (index < 35 ? RUNNING : completed())),
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(5_500)
    scene.storage.goBack(id, 1)
    await scene.clock.advance(60_000)
    assert.equal(countSubmits(channel), 1)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("takes nothing that follows a lost event, though another has its version by now", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: [
        async ({ task }) => {
          // Another process has found the call in the older log, and taken it for lost.
          scene.storage.goBack(task, 2)
          const head = await scene.storage.readTask(task)
          assert.ok(head !== undefined)
          const doubted = { kind: "doubt", attempt: 1, code: "caller-lost" } as const
          await scene.storage.append(advanceSample(head, [doubted]).append)
          return completed()
        },
      ],
    })
    const { entries, log } = createLogRecorder()
    const { scene, id } = await submitTo(channel, { log })
    await scene.clock.advance(60_000)
    const story = ["submitted", "dispatched", "doubted", "accepted", "succeeded"]
    assert.deepEqual(scene.story(id), story)
    const [first, ...events] = scene.storage.events.get(id) ?? []
    let previous = first?.hash ?? ""
    for (const event of events) {
      assert.equal(hashEvent(sha256, previous, event), event.hash)
      previous = event.hash
    }
    assert.ok(entries.some(({ message }) => message === "events lost"))
  })

  it("keeps a purchase that comes again under its key, though its task refuses it now", async () => {
    let answer!: (outcome: typeof ACCEPTED) => void
    const late = new Promise<typeof ACCEPTED>((resolve) => (answer = resolve))
    const cancelled: unknown[] = []
    const scripted = createScriptedChannel({
      submission: { kind: "keyed", keyTtlMs: 3_600_000 },
      submits: [() => late, () => late, () => late, () => late],
      polls: [completed()],
    })
    const channel = {
      ...scripted,
      async cancel({ operation }: { operation: unknown }) {
        cancelled.push(operation)
        return "stopped" as const
      },
    }
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(30_000)
    assert.ok((await scene.read(id)).attempt > 1)
    // All attempts are lost, and the task waits in the queue for a third process.
    scene.storage.goBack(id, 1, "held by another for now")
    answer(ACCEPTED)
    await scene.clock.advance(1_000)
    assert.deepEqual(cancelled, [])
    await scene.clock.advance(200_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
    assert.equal((await scene.read(id)).dispatch?.upstreamKey, `${id}.1`)
  })

  it("is asked of a lookup channel before a task that has waited is called for", async () => {
    const lookup = { kind: "lookup", longestRequestMs: 5_000 } as const
    const channel = createScriptedChannel({
      submission: lookup,
      submits: [ACCEPTED, ACCEPTED],
      polls: [completed(), completed()],
    })
    const first = createScene({ channels: [channel] })
    const { id } = await first.submit()
    await first.clock.advance(1_000)
    await first.engine.stop()
    const { artifacts, clock, storage } = first
    storage.goBack(id, 1)
    await clock.advance(61_000)
    const second = createScene({ channels: [channel], artifacts, clock, storage })
    await clock.advance(1_000)
    assert.equal((await second.read(id)).state, "succeeded.available")
    assert.deepEqual(channel.created, [`${id}.1`])
    assert.equal(countSubmits(channel), 1)
  })

  it("has a line in the log with the handle of what was bought where the task is gone", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: [
        ({ task }) => {
          scene.storage.goBack(task, 0)
          return completed()
        },
      ],
    })
    const { entries, log } = createLogRecorder()
    const { scene, id } = await submitTo(channel, { log })
    await scene.clock.advance(5_000)
    assert.equal(await scene.storage.readTask(id), undefined)
    const [lost] = entries.filter(({ level }) => level === "error")
    assert.deepEqual([lost?.fields["operation"], lost?.fields["found"]], [{ id: 7 }, 0])
  })
})
