/** What a failed collection leaves behind, and how that is told. */
import assert from "node:assert/strict"
import { it } from "node:test"
import { SafelightError } from "@safelight/core"
import { createEngine } from "@safelight/engine"
import {
  createManualClock,
  createScriptedChannel,
  createMemoryArtifacts,
  createMemoryStorage,
} from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { completed, MODEL, PRICES, SETTINGS } from "./support.ts"

it("names the task and the locator of an output that it can't remove again", async () => {
  const down = new SafelightError({ code: "artifacts-unavailable", message: "down" })
  const artifacts = createMemoryArtifacts()
  const clock = createManualClock()
  const [output] = completed("one").outputs
  const { entries, log } = createLogRecorder()
  const engine = createEngine({
    storage: createMemoryStorage(),
    artifacts: { ...artifacts, remove: () => Promise.reject(down) },
    clock,
    log,
    channels: [
      createScriptedChannel({
        submits: [{ kind: "accepted", operation: 1 }],
        polls: [
          { kind: "completed", outputs: [{ ...output, sha256: "0".repeat(64) }] },
          completed("three"),
        ],
      }),
    ],
    models: [MODEL],
    prices: PRICES,
    settings: SETTINGS,
  })
  engine.start()
  const submitted = await engine.submit({
    account: "ada",
    model: "model-a",
    parameters: { prompt: "a quiet harbour" },
  })
  assert.ok(submitted.kind !== "rejected")
  const { id } = submitted.task
  await clock.advance(5_000)
  const [left, kept] = artifacts.locators.keys()
  assert.ok(left !== undefined && kept !== undefined)
  const told = entries.filter(({ message }) => message === "stray artifact")
  assert.deepEqual(
    told.map(({ fields }) => fields),
    [{ task: id, locator: left, error: down }],
  )
  await engine.stop()
})
