/** What happened to a task, for the account that it is of. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createScriptedChannel } from "@safelight/testkit"
import { completed, createScene } from "./support.ts"

describe("a task's events", () => {
  it("are those of its log", async () => {
    const submits = [
      { kind: "not-created", reason: "busy", retryAfterMs: 10 } as const,
      completed(),
    ]
    const scene = createScene({ channels: [createScriptedChannel({ submits })] })
    const { account, id } = await scene.submit()
    await scene.clock.advance(1_000)
    const all = await scene.engine.listEvents({ account, id })
    assert.deepEqual(all, { events: scene.history(id), next: null })
    assert.equal(all?.events.at(-1)?.type, "succeeded")
  })

  it("are read a page at a time where a limit is given", async () => {
    const scene = createScene({ channels: [createScriptedChannel({ submits: [completed()] })] })
    const { account, id } = await scene.submit()
    await scene.clock.advance(1_000)
    const history = scene.history(id)
    const read = (after: number, limit: number) =>
      scene.engine.listEvents({ account, id, after, limit })
    assert.deepEqual(await read(0, 2), { events: history.slice(0, 2), next: 2 })
    assert.deepEqual(await read(2, history.length - 2), { events: history.slice(2), next: null })
    assert.deepEqual(await read(history.length, 2), { events: [], next: null })
  })

  it("are unknown to everybody else, as is a task that never was", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const { account, id } = await scene.submit()
    assert.equal(await scene.engine.listEvents({ account: `${account}2`, id }), undefined)
    const never = "01890000-0000-7000-8000-000000000000"
    assert.equal(await scene.engine.listEvents({ account, id: never }), undefined)
  })
})
