/** What a node says of a task that a channel refused: which, who, and by what code. */
import assert from "node:assert/strict"
import { it } from "node:test"
import { createScriptedChannel } from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { createScene } from "./support.ts"

it("a refused task leaves a line with its channel and code, and no word of the provider", async () => {
  const refused = { kind: "refused", code: "provider_rejected", providerWords: "no fog" } as const
  const accepted = { kind: "accepted", operation: { id: 7 } } as const
  for (const script of [{ submits: [refused] }, { submits: [accepted], polls: [refused] }]) {
    const { entries, log } = createLogRecorder()
    const scene = createScene({ channels: [createScriptedChannel(script)], log })
    await scene.clock.advance(0)
    const { id } = await scene.submit()
    await scene.clock.advance(5_000)
    assert.equal((await scene.read(id)).error?.code, "provider_rejected")
    const told = entries.filter(({ message }) => message === "task refused")
    assert.deepEqual(
      told.map(({ level, fields }) => ({ level, ...fields })),
      [{ level: "warn", task: id, channel: "scripted", code: "provider_rejected" }],
    )
    assert.ok(!JSON.stringify(entries).includes("fog"))
  }
})
