/**
 * What the engine does not do yet, each with its reason: these tests are expected to fail, and say so
 * when they pass, so that nobody mends a gap and leaves it listed.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { SubmitOutcome } from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import { createScene } from "./support.ts"

const ACCEPTED = { kind: "accepted", operation: { id: 7 } } as const

describe("an answer past its call's time-out", () => {
  const outside = "a late answer is adopted outside of what a stop waits for"

  it("changes nothing once the engine has stopped", { expectFailure: outside }, async () => {
    let answer!: (outcome: SubmitOutcome) => void
    const late = new Promise<SubmitOutcome>((resolve) => (answer = resolve))
    const scene = createScene({ channels: [createScriptedChannel({ submits: [() => late] })] })
    const { id } = await scene.submit()
    await scene.clock.advance(30_000)
    assert.equal((await scene.read(id)).state, "doubtful")
    await scene.engine.stop()
    answer(ACCEPTED)
    await scene.clock.advance(1_000)
    assert.equal((await scene.read(id)).state, "doubtful")
  })
})
