/** Settling a doubt by hand: what an operator found out is recorded, and only of a task in doubt. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { resolveTask } from "@safelight/engine"
import { createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"
import { completed, createScene, SETTINGS, type Scene } from "./support.ts"

const LOST = { kind: "lost", operation: { id: 7 } } as const

/** A task whose outcome nobody knows, and nothing will tell. */
async function createDoubt(channel: ScriptedChannel): Promise<{ scene: Scene; id: string }> {
  const scene = createScene({ channels: [channel] })
  await scene.clock.advance(0)
  const { id } = await scene.submit()
  await scene.clock.advance(1_000)
  assert.equal((await scene.read(id)).state, "doubtful")
  return { scene, id }
}

describe("a doubtful task", () => {
  it("that an operator adopts an operation for is followed to its end", async () => {
    const channel = createScriptedChannel({ submits: [LOST], polls: [completed()] })
    const { scene, id } = await createDoubt(channel)
    const result = await scene.engine.resolve({ task: id, adopt: { id: 9 } })
    assert.ok(result.kind === "resolved")
    assert.equal(result.task.state, "running")
    await scene.clock.advance(2_000)
    assert.deepEqual(scene.story(id).slice(2), ["doubted", "accepted", "succeeded"])
    const poll = channel.calls.at(-1)
    assert.ok(poll?.method === "poll" && "operation" in poll.request)
    assert.deepEqual(poll.request.operation, { id: 9 })
    assert.equal(channel.created.length, 1)
  })

  it("that an operator gives up fails uncharged, as one whose outcome is unknown", async () => {
    const { scene, id } = await createDoubt(createScriptedChannel({ submits: [LOST] }))
    const result = await scene.engine.resolve({ task: id, fail: true })
    assert.ok(result.kind === "resolved")
    assert.equal(result.task.error?.code, "upstream_outcome_unknown")
    assert.equal(result.task.chargeMicros, 0)
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "doubted", "failed"])
    await scene.clock.advance(700_000)
    assert.equal(scene.story(id).at(-1), "failed")
  })

  it("is settled without an engine too, beside one that works", async () => {
    const channel = createScriptedChannel({ submits: [LOST], polls: [completed()] })
    const { scene, id } = await createDoubt(channel)
    const { clock, storage } = scene
    const request = { task: id, adopt: { id: 7 } }
    const result = await resolveTask({ storage, clock, settings: SETTINGS }, request)
    assert.equal(result.kind, "resolved")
    await clock.advance(2_000)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })

  it("that settles itself meanwhile stays as it is", async () => {
    const { scene, id } = await createDoubt(createScriptedChannel({ submits: [LOST] }))
    const { append } = scene.storage
    scene.storage.append = async (change) => {
      scene.storage.append = append
      await scene.engine.resolve({ task: id, fail: true })
      await append(change)
    }
    const result = await scene.engine.resolve({ task: id, adopt: { id: 7 } })
    assert.deepEqual(result, { kind: "not-doubtful", state: "failed" })
    assert.equal(scene.story(id).at(-1), "failed")
  })

  it("whose operation was adopted is not bought again by who looked it up in vain", async () => {
    const submission = { kind: "lookup", longestRequestMs: 5_000 } as const
    const channel = createScriptedChannel({
      submission,
      submits: [new Error("reset")],
      polls: [completed()],
    })
    channel.find = async () => {
      await scene.engine.resolve({ task: id, adopt: { id: 7 } })
      return null
    }
    const { scene, id } = await createDoubt(channel)
    await scene.clock.advance(100_000)
    assert.deepEqual(scene.story(id).slice(2), ["doubted", "accepted", "succeeded"])
  })
})

describe("any other task", () => {
  it("is not settled, and the answer says how it stands", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel], isStarted: false })
    const { id } = await scene.submit()
    const early = await scene.engine.resolve({ task: id, adopt: { id: 7 } })
    assert.deepEqual(early, { kind: "not-doubtful", state: "queued" })
    scene.engine.start()
    await scene.clock.advance(1_000)
    const late = await scene.engine.resolve({ task: id, fail: true })
    assert.deepEqual(late, { kind: "not-doubtful", state: "succeeded.available" })
    assert.deepEqual(scene.story(id), ["submitted", "dispatched", "succeeded"])
  })

  it("may be one that there is not", async () => {
    const scene = createScene({ channels: [createScriptedChannel()] })
    const result = await scene.engine.resolve({ task: "none", fail: true })
    assert.deepEqual(result, { kind: "unknown-task" })
  })
})
