/** Following an operation: progress, failures on the way, collecting what it made. */
import assert from "node:assert/strict"
import { createHash } from "node:crypto"
import { describe, it } from "node:test"
import { SafelightError, type PollOutcome } from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { completed, createScene, ACCEPTED, submitTo } from "./support.ts"

const RESTING = { kind: "running", pollAfterMs: 1_000_000 } as const

function running(progress: number): PollOutcome {
  return { kind: "running", progress, pollAfterMs: 1_000 }
}

describe("a running task", () => {
  it("records progress in steps, never falling and never 100 before the end", async () => {
    const steps = [3, 12, 11, 15, 40, 38, 250, 99]
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: [...steps.map(running), completed()],
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(20_000)
    const recorded = scene
      .history(id)
      .flatMap((event) => (event.type === "progressed" ? [event.data.progress] : []))
    assert.deepEqual(recorded, [12, 40, 99])
    assert.equal((await scene.read(id)).progress, 100)
  })

  it("is polled again where a poll fails, with pauses that grow", async () => {
    const down = new SafelightError({ code: "channel-unavailable", message: "down" })
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: [down, down, completed()],
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(2_999)
    assert.equal((await scene.read(id)).state, "running")
    await scene.clock.advance(1)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("survives a channel that never answers a poll, and ends by its deadline", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: Array.from({ length: 99 }, () => () => new Promise<never>(() => {})),
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(606_000)
    const task = await scene.read(id)
    assert.equal(task.error?.code, "generation_timeout")
    assert.equal(channel.calls.at(-1)?.method, "cancel")
  })

  it("is asked once more where it was too late to stop it, and what is there by then is kept", async () => {
    for (const cancelOutcome of ["too-late", "stopped", "unknown"] as const) {
      const channel = createScriptedChannel({
        submits: [ACCEPTED],
        polls: [RESTING, RESTING, completed()],
        cancelOutcome,
      })
      const { scene, id } = await submitTo(channel)
      await scene.clock.advance(610_000)
      const { error, state } = await scene.read(id)
      const isKept = cancelOutcome === "too-late"
      assert.equal(state, isKept ? "succeeded.available" : "failed", cancelOutcome)
      assert.equal(error?.code, isKept ? undefined : "generation_timeout")
    }
  })

  it("may turn out not to have been created, and is then tried again", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED, completed()],
      polls: [{ kind: "not-created", reason: "evicted" }],
    })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(5_000)
    const story = ["submitted", "dispatched", "accepted", "deferred", "dispatched", "succeeded"]
    assert.deepEqual(scene.story(id), story)
  })

  it("never loses a result to a storage that fails: the fact is appended when it is back", async () => {
    const channel = createScriptedChannel({ submits: [ACCEPTED], polls: [completed()] })
    let isDown = true
    const scene = createScene({
      channels: [channel],
      probe(point) {
        if (point !== "succeed:before-append" || !isDown) return
        scene.storage.failAppends(5)
        isDown = false
      },
    })
    const { id } = await scene.submit()
    await scene.clock.advance(10_000)
    assert.notEqual((await scene.read(id)).state, "succeeded.available")
    await scene.clock.advance(60_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "accepted", "succeeded"])
    assert.equal(channel.created.length, 1)
  })
})

describe("a completed operation", () => {
  it("succeeds only with every artifact stored, measured, priced and given an expiry", async () => {
    const outputs = [
      ...completed("one").outputs,
      { ...completed("two!").outputs[0], mimeType: "image/webp" },
    ]
    const channel = createScriptedChannel({ submits: [{ kind: "completed", outputs }] })
    const scene = createScene({ channels: [channel] })
    const { id } = await scene.submit({ prompt: "p", count: 2 })
    const task = await scene.engine.finished(id)
    assert.ok(task)
    const listed = task.artifacts.map(({ key, mimeType, bytes, sha256, expiresAt }) => [
      key,
      mimeType,
      bytes,
      sha256,
      expiresAt,
    ])
    const digest = (words: string): string => createHash("sha256").update(words).digest("hex")
    const expiresAt = task.finishedAt + 14 * 86_400_000
    assert.deepEqual(listed, [
      ["image_1", "image/png", 3, digest("one"), expiresAt],
      ["image_2", "image/webp", 4, digest("two!"), expiresAt],
    ])
    assert.equal(task.chargeMicros, 60_000)
    assert.deepEqual(task.usage, { images: 2, inputVideosMs: [], outputVideoMs: 0 })
  })

  it("fails as no_output where there is nothing", async () => {
    const channel = createScriptedChannel({ submits: [{ kind: "completed", outputs: [] }] })
    const { scene, id } = await submitTo(channel)
    assert.equal((await scene.engine.finished(id))?.error?.code, "no_output")
  })

  it("is asked for again where its artifacts could not be stored, and leaves no orphan", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: [completed("lost"), completed("kept")],
    })
    const scene = createScene({ channels: [channel] })
    scene.artifacts.failPuts(1)
    const { id } = await scene.submit()
    await scene.clock.advance(5_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
    assert.equal(scene.artifacts.locators.size, 1)
  })

  it("is asked for by its operation where it came at once and could not be stored", async () => {
    const channel = createScriptedChannel({
      submits: [{ ...completed("lost"), operation: { id: 7 } }],
      polls: [completed("kept")],
    })
    const scene = createScene({ channels: [channel] })
    scene.artifacts.failPuts(1)
    const { id } = await scene.submit()
    await scene.clock.advance(5_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "accepted", "succeeded"])
  })

  it("is kept trying where it came at once, without an operation, and could not be stored", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel] })
    scene.artifacts.failPuts(8)
    const { id } = await scene.submit()
    await scene.clock.advance(60_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched"])
    await scene.clock.advance(120_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
    assert.equal(channel.created.length, 1)
  })

  it("is in doubt where it can't be stored until the task's end", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel] })
    scene.artifacts.failPuts(999)
    const { id } = await scene.submit()
    await scene.clock.advance(660_000)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "doubted", "failed"])
    assert.equal((await scene.read(id)).error?.code, "upstream_outcome_unknown")
  })
})
