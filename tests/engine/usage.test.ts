/** What tasks cost: one by one with their price, an account's in a period, and whose it is. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createEngine } from "@safelight/engine"
import { createScriptedChannel } from "@safelight/testkit"
import { priceVersionOf } from "../support/price-version.ts"
import { completed, createScene, MODEL, PRICES, type Scene } from "./support.ts"

const IMAGE_MICROS = 30_000
const VERSION = priceVersionOf(PRICES[0], "model-a")

async function submitAs({ engine }: Scene, account: string, count = 1): Promise<string> {
  const parameters = { prompt: "a quiet harbour", count }
  const result = await engine.submit({ account, model: "model-a", parameters })
  assert.ok(result.kind === "submitted")
  return result.task.id
}

async function finishAs(scene: Scene, account: string): Promise<string> {
  const id = await submitAs(scene, account)
  await scene.engine.finished(id)
  return id
}

function sum(scene: Scene, account: string, from: number, to: number) {
  return scene.engine.sumUsage({ account, from, to })
}

describe("a task's usage", () => {
  it("is its price and what was used, once it is finished", async () => {
    const scene = createScene({ channels: [createScriptedChannel({ submits: [completed()] })] })
    const id = await finishAs(scene, "ada")
    const usage = await scene.engine.findUsage({ account: "ada", id })
    assert.deepEqual(usage, {
      task: await scene.read(id),
      labels: {},
      price: { perImageMicros: IMAGE_MICROS },
      billedInputMs: 0,
      factors: [],
      imagesAsked: 1,
    })
    assert.equal(usage?.task.chargeMicros, IMAGE_MICROS)
    assert.deepEqual(usage?.task.usage, { images: 1, inputVideosMs: [], outputVideoMs: 0 })
  })

  it("is nothing yet of an unfinished task, whose reservation it tells", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const id = await submitAs(scene, "ada", 2)
    const usage = await scene.engine.findUsage({ account: "ada", id })
    assert.deepEqual([usage?.task.usage, usage?.billedInputMs], [null, 0])
    assert.equal(usage?.task.reservationMicros, 2 * IMAGE_MICROS)
  })

  it("tells how many pictures were asked for, also once the request is erased", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel] })
    const id = await submitAs(scene, "ada", 4)
    await scene.engine.finished(id)
    await scene.engine.erase({ account: "ada", id })
    const usage = await scene.engine.findUsage({ account: "ada", id })
    assert.deepEqual([usage?.imagesAsked, usage?.task.usage?.images], [4, 1])
  })

  it("has the input video as it is billed", async () => {
    const inputVideosMs = [1_500, 2_000]
    const channel = createScriptedChannel({ submits: [{ ...completed(), inputVideosMs }] })
    const scene = createScene({ channels: [channel] })
    const id = await finishAs(scene, "ada")
    const usage = await scene.engine.findUsage({ account: "ada", id })
    assert.equal(usage?.billedInputMs, 4_000 + 2_000)
  })

  it("is told without a price where the task's table is no longer configured", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const id = await submitAs(scene, "ada")
    const { storage, artifacts } = scene
    const prices = [{ version: "2", models: { "model-a": { perImageMicros: 1 } } }] as const
    const channels = [createScriptedChannel()]
    const later = createEngine({ storage, artifacts, channels, models: [MODEL], prices })
    const usage = await later.findUsage({ account: "ada", id })
    assert.deepEqual([usage?.task.priceVersion, usage?.price], [VERSION, undefined])
  })

  it("is its account's alone, and of no task that nobody knows", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    const id = await submitAs(scene, "ada")
    assert.equal(await scene.engine.findUsage({ account: "bob", id }), undefined)
    assert.equal(await scene.engine.findUsage({ account: "ada", id: "unknown" }), undefined)
  })
})

describe("an account's usage", () => {
  it("adds up what finished in the period, from its first moment to before its last", async () => {
    const channel = createScriptedChannel({ submits: [completed(), completed(), completed()] })
    const scene = createScene({ channels: [channel] })
    const moments: number[] = []
    for (let count = 0; count < 3; count += 1) {
      const task = await scene.read(await finishAs(scene, "ada"))
      moments.push(task.finishedAt)
      await scene.clock.advance(1_000)
    }
    const [first = 0, second = 0, third = 0] = moments
    const counts = async (from: number, to: number) =>
      (await sum(scene, "ada", from, to)).charges.map(({ tasks }) => tasks)
    assert.deepEqual(await counts(first, third), [2])
    assert.deepEqual(await counts(first + 1, third + 1), [2])
    assert.deepEqual(await counts(second, second + 1), [1])
    assert.deepEqual(await counts(third + 1, third + 9), [])
    const { charges } = await sum(scene, "ada", 0, third + 1)
    const none = { outputVideoMs: 0, outputAudioMs: 0, characters: 0, tokens: 0, billedInputMs: 0 }
    const used = { ...none, images: 3, chargeMicros: 3 * IMAGE_MICROS }
    assert.deepEqual(charges, [{ model: "model-a", priceVersion: VERSION, tasks: 3, ...used }])
  })

  it("is billed when the task finished, not when it was submitted", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel], isStarted: false })
    const id = await submitAs(scene, "ada")
    await scene.clock.advance(5_000)
    const from = scene.clock.now()
    scene.engine.start()
    await scene.engine.finished(id)
    assert.equal((await sum(scene, "ada", 0, from)).charges.length, 0)
    assert.equal((await sum(scene, "ada", from, from + 1)).charges.length, 1)
  })

  it("has a failed task in it only where the channel was billed", async () => {
    const free = { kind: "refused", code: "provider_rejected" } as const
    const billed = { ...free, billed: { images: 1, outputVideoMs: 0 } }
    const channel = createScriptedChannel({ submits: [free, billed] })
    const scene = createScene({ channels: [channel] })
    await finishAs(scene, "ada")
    await finishAs(scene, "ada")
    const { charges, totals } = await sum(scene, "ada", 0, scene.clock.now() + 1)
    assert.deepEqual([charges.length, charges[0]?.tasks], [1, 1])
    assert.equal(totals.chargedMicros, IMAGE_MICROS)
  })

  it("tells the budget and the totals, whatever the period", async () => {
    const channel = createScriptedChannel({ submits: [completed()] })
    const scene = createScene({ channels: [channel] })
    await finishAs(scene, "ada")
    await scene.engine.stop()
    const idle = createScene({ ...scene, channels: [createScriptedChannel()], isStarted: false })
    await submitAs(idle, "ada", 2)
    const totals = {
      chargedMicros: IMAGE_MICROS,
      reservedMicros: 2 * IMAGE_MICROS,
      unfinishedTasks: 1,
    }
    const unbounded = { charges: [], totals, budgetMicros: null }
    assert.deepEqual(await sum(idle, "ada", 0, 1), unbounded)
    const settings = { budgetMicros: 1_000_000 }
    await idle.storage.setAccount({ id: "ada", now: idle.clock.now(), settings })
    assert.deepEqual(await sum(idle, "ada", 0, 1), { ...unbounded, ...settings })
  })

  it("is nothing for an account that nobody knows", async () => {
    const scene = createScene({ channels: [createScriptedChannel()], isStarted: false })
    await submitAs(scene, "ada")
    const totals = { chargedMicros: 0, reservedMicros: 0, unfinishedTasks: 0 }
    const nothing = { charges: [], totals, budgetMicros: null }
    assert.deepEqual(await sum(scene, "bob", 0, Number.MAX_SAFE_INTEGER), nothing)
  })
})

describe("what a private link leads to", () => {
  it("is the task and its artifacts without an account to compare", async () => {
    const scene = createScene({ channels: [createScriptedChannel({ submits: [completed()] })] })
    const id = await finishAs(scene, "ada")
    const found = await scene.engine.findLinked(id)
    assert.deepEqual(found, await scene.engine.findArtifacts({ account: "ada", id }))
    assert.equal(found?.artifacts.length, 1)
    assert.equal(await scene.engine.findLinked("unknown"), undefined)
  })
})
