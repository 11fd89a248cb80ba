/** Ending a task by hand: in any state, uncharged, and for good whatever comes of it later. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { cancelTask } from "@safelight/engine"
import { createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"
import { completed, createScene, SETTINGS, type Scene, ACCEPTED } from "./support.ts"

const LOST = { kind: "lost", operation: { id: 7 } } as const
const RUNNING = { kind: "running", pollAfterMs: 1_000 } as const

async function submitTo(channel: ScriptedChannel): Promise<{ scene: Scene; id: string }> {
  const scene = createScene({ channels: [channel] })
  await scene.clock.advance(0)
  const { id } = await scene.submit()
  await scene.clock.advance(1_000)
  return { scene, id }
}

function cancel({ clock, storage }: Scene, id: string) {
  return cancelTask({ storage, clock, settings: SETTINGS }, id)
}

describe("a task that an operator ends", () => {
  it("fails uncharged while it runs, and what it would have become is not taken", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: [RUNNING, RUNNING, completed()],
    })
    const { scene, id } = await submitTo(channel)
    assert.equal((await scene.read(id)).state, "running")
    assert.equal((await cancel(scene, id))?.outcome, "unknown")
    await scene.clock.advance(10_000)
    const { chargeMicros, error, state } = await scene.read(id)
    assert.deepEqual([state, error?.code, chargeMicros], ["failed", "task_cancelled", 0])
    assert.deepEqual((await scene.read(id)).artifacts, [])
  })

  it("is stopped at its channel by the process that follows it", async () => {
    const channel = createScriptedChannel({
      submits: [ACCEPTED],
      polls: Array.from({ length: 60 }, () => RUNNING),
    })
    const { scene, id } = await submitTo(channel)
    await cancel(scene, id)
    assert.ok(channel.calls.every(({ method }) => method !== "cancel"))
    await scene.clock.advance(30_000)
    const asked = channel.calls.filter(({ method }) => method === "cancel")
    assert.deepEqual(
      asked.map(({ request }) => "operation" in request && request.operation),
      [{ id: 7 }],
    )
  })

  it("fails where its outcome is unknown, and is not charged", async () => {
    const { scene, id } = await submitTo(createScriptedChannel({ submits: [LOST] }))
    assert.equal((await scene.read(id)).state, "doubtful")
    assert.equal((await cancel(scene, id))?.outcome, "unknown")
    assert.equal((await scene.read(id)).error?.code, "task_cancelled")
  })

  it("stays as it is where it had ended, and is told where there is none", async () => {
    const channel = createScriptedChannel({ submits: [ACCEPTED], polls: [completed()] })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(10_000)
    const result = await cancel(scene, id)
    assert.equal(result?.outcome, "too-late")
    assert.equal(result.task.state, "succeeded.available")
    assert.equal(await cancel(scene, "none"), undefined)
  })
})
