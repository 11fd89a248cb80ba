/** Bounds of an account: what fits is accepted, what does not leaves no trace, and never the other way. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { AccountSettings, SubmitResult } from "@safelight/core"
import { createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"
import { completed, createScene, type Scene, brief } from "./support.ts"

const PARAMETERS = { prompt: "a quiet harbour" }
/** What the model charges for an image. */
const IMAGE_MICROS = 30_000

/** A scene in which `ada` has bounds. */
async function createBounded(
  settings: Partial<AccountSettings>,
  channel: ScriptedChannel = createScriptedChannel(),
  isStarted = false,
): Promise<Scene> {
  const scene = createScene({ channels: [channel], isStarted })
  await scene.storage.setAccount({ id: "ada", now: scene.clock.now(), settings })
  if (isStarted) await scene.clock.advance(0)
  return scene
}

function submitImages(
  { engine }: Scene,
  count: number,
  { account = "ada", key = "" } = {},
): Promise<SubmitResult> {
  const idempotency = { key, fingerprint: "a1".repeat(32) }
  const parameters = { ...PARAMETERS, count }
  const request = { account, model: "model-a", parameters }
  return engine.submit(key === "" ? request : { ...request, idempotency })
}

function idOf(result: SubmitResult): string {
  assert.ok(result.kind === "submitted", JSON.stringify(result))
  return result.task.id
}

describe("a budget", () => {
  it("is kept to the last micro-unit by what is reserved", async () => {
    const scene = await createBounded({ budgetMicros: 3 * IMAGE_MICROS })
    assert.equal(brief(await submitImages(scene, 2)), "new")
    assert.equal(brief(await submitImages(scene, 2)), "budget-exceeded")
    assert.equal(brief(await submitImages(scene, 1)), "new")
    assert.equal(brief(await submitImages(scene, 1)), "budget-exceeded")
    assert.equal(scene.storage.events.size, 2)
    assert.equal(scene.storage.inputs.size, 2)
  })

  it("of one micro-unit less refuses the task", async () => {
    const scene = await createBounded({ budgetMicros: IMAGE_MICROS - 1 })
    assert.equal(brief(await submitImages(scene, 1)), "budget-exceeded")
    await scene.storage.setAccount({
      id: "ada",
      now: scene.clock.now(),
      settings: { budgetMicros: IMAGE_MICROS },
    })
    assert.equal(brief(await submitImages(scene, 1)), "new")
  })

  it("gets back what a finished task did not cost, and all of a failed one", async () => {
    const refused = { kind: "refused", code: "provider_rejected" } as const
    // Two images are reserved, and one is made.
    const channel = createScriptedChannel({ submits: [completed(), refused] })
    const scene = await createBounded({ budgetMicros: 2 * IMAGE_MICROS }, channel, true)
    await scene.engine.finished(idOf(await submitImages(scene, 2)))
    assert.equal(brief(await submitImages(scene, 2)), "budget-exceeded")
    await scene.engine.finished(idOf(await submitImages(scene, 1)))
    const { totals } = await scene.engine.sumUsage({ account: "ada", from: 0, to: 1 })
    const left = { chargedMicros: IMAGE_MICROS, reservedMicros: 0, unfinishedTasks: 0 }
    assert.deepEqual(totals, left)
    assert.equal(brief(await submitImages(scene, 1)), "new")
  })

  it("is kept by submissions that arrive at once", async () => {
    const scene = await createBounded({ budgetMicros: 5 * IMAGE_MICROS })
    const results = await Promise.all(Array.from({ length: 20 }, () => submitImages(scene, 1)))
    assert.equal(results.filter((result) => brief(result) === "new").length, 5)
    assert.equal(scene.storage.events.size, 5)
  })

  it("counts what was submitted before it was set", async () => {
    const scene = await createBounded({})
    await submitImages(scene, 2)
    const settings = { budgetMicros: 2 * IMAGE_MICROS }
    await scene.storage.setAccount({ id: "ada", now: scene.clock.now(), settings })
    assert.equal(brief(await submitImages(scene, 1)), "budget-exceeded")
  })

  it("is its own account's alone", async () => {
    const scene = await createBounded({ budgetMicros: 0 })
    assert.equal(brief(await submitImages(scene, 1)), "budget-exceeded")
    assert.equal(brief(await submitImages(scene, 1, { account: "bob" })), "new")
  })
})

describe("a bound on unfinished tasks", () => {
  it("refuses the task that is one too many, until one is finished", async () => {
    const scene = await createBounded({ unfinishedTasks: 2 })
    await submitImages(scene, 1)
    await submitImages(scene, 1)
    assert.equal(brief(await submitImages(scene, 1)), "too-many-unfinished-tasks")
    assert.equal(scene.storage.events.size, 2)
    await scene.engine.sweep(scene.clock.now() + 600_000)
    assert.equal(brief(await submitImages(scene, 1)), "new")
  })

  it("of none refuses every task", async () => {
    const scene = await createBounded({ unfinishedTasks: 0 })
    assert.equal(brief(await submitImages(scene, 1)), "too-many-unfinished-tasks")
  })
})

describe("a replay", () => {
  it("is answered where neither the budget nor the bound has room for another task", async () => {
    const scene = await createBounded({ budgetMicros: IMAGE_MICROS, unfinishedTasks: 1 })
    const first = await submitImages(scene, 1, { key: "order-1" })
    assert.equal(brief(await submitImages(scene, 1)), "budget-exceeded")
    const again = await submitImages(scene, 1, { key: "order-1" })
    assert.deepEqual([brief(again), idOf(again)], ["replayed", idOf(first)])
  })

  it("never comes of a refusal: the key stays free, and later stands for the task", async () => {
    const scene = await createBounded({ unfinishedTasks: 1 })
    await submitImages(scene, 1)
    const refused = await submitImages(scene, 1, { key: "order-1" })
    assert.equal(brief(refused), "too-many-unfinished-tasks")
    await scene.engine.sweep(scene.clock.now() + 600_000)
    assert.equal(brief(await submitImages(scene, 1, { key: "order-1" })), "new")
    assert.equal(brief(await submitImages(scene, 1, { key: "order-1" })), "replayed")
    assert.equal(scene.storage.events.size, 2)
  })
})

describe("a refused submission", () => {
  it("dispatches nothing and leaks no slot", async () => {
    const channel = createScriptedChannel({ concurrency: 1, submits: [completed()] })
    const scene = await createBounded({ unfinishedTasks: 0 }, channel, true)
    for (let count = 0; count < 5; count += 1) await submitImages(scene, 1)
    await scene.clock.advance(5_000)
    assert.equal(channel.calls.length, 0)
    const id = idOf(await submitImages(scene, 1, { account: "bob" }))
    await scene.engine.finished(id)
    assert.equal((await scene.read(id)).state, "succeeded.available")
  })
})

describe("an admission whose answer is lost", () => {
  it("is never told as refused, though the task now fills the bound itself", async () => {
    const scene = await createBounded({ budgetMicros: IMAGE_MICROS, unfinishedTasks: 1 })
    scene.storage.failAppends(1, true)
    const first = await submitImages(scene, 1)
    assert.equal(brief(first), "new")
    assert.deepEqual([...scene.storage.events.keys()], [idOf(first)])
    assert.equal(brief(await submitImages(scene, 1)), "budget-exceeded")
  })

  it("is an error where nothing was stored, a refusal too", async () => {
    const scene = await createBounded({ unfinishedTasks: 0 })
    scene.storage.failAppends(1, true)
    await assert.rejects(submitImages(scene, 1), { code: "storage-unavailable" })
    assert.equal(scene.storage.events.size, 0)
  })
})
