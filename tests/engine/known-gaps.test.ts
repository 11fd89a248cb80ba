/**
 * What the engine does not do yet, each with its reason: these tests are expected to fail, and say so
 * when they pass, so that nobody mends a gap and leaves it listed.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createMemoryStorage, createScriptedChannel } from "@safelight/testkit"
import { completed, createScene } from "./support.ts"

const quiet = (): Promise<never> => new Promise(() => {})

describe("accounts that are full", () => {
  const inTurn = "each bounded account costs the one loop of a process a round trip"

  it("delay nobody else's tasks", { expectFailure: inTurn }, async () => {
    const memory = createMemoryStorage()
    const storage = { ...memory }
    const submits = [...Array.from({ length: 50 }, () => quiet), completed()]
    const channel = createScriptedChannel({ concurrency: 60, submits })
    const scene = createScene({ channels: [channel], storage })
    const { clock, engine } = scene
    const parameters = { prompt: "a quiet harbour" }
    const accounts = Array.from({ length: 50 }, (_, index) => `account-${index}`)
    for (const id of accounts) {
      await storage.setAccount({ id, now: clock.now(), settings: { runningTasks: 1 } })
      await engine.submit({ account: id, model: "model-a", parameters })
      await engine.submit({ account: id, model: "model-a", parameters })
    }
    await clock.advance(60_000)
    storage.holdSlots = async (request) => {
      await clock.wait(200)
      return memory.holdSlots(request)
    }
    await clock.advance(10_000)
    const apart = createScene({
      channels: [createScriptedChannel()],
      artifacts: scene.artifacts,
      clock,
      storage: memory,
      isStarted: false,
    })
    const { id } = await apart.submit()
    await clock.advance(2_500)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })
})
