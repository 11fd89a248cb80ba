/** Prices by what is asked, from the quote to the audit: every figure is that of the parameters in the log. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createAudit } from "@safelight/audit"
import {
  defineModel,
  fields,
  integer,
  text,
  toCostFigure,
  toPriceVersion,
  type ModelPrice,
  type PriceBook,
  type Task,
} from "@safelight/core"
import { createScriptedChannel } from "@safelight/testkit"
import * as v from "valibot"
import { sha256 } from "../core/support/sha256.ts"
import { completed, createScene, type Scene } from "./support.ts"

const PRICE: ModelPrice = {
  perImageMicros: 1_001,
  perRequestMicros: 7,
  factors: { size: { "1k": "1", "4k": "2.5" }, hd: { true: "1.1", "*": "1" } },
}

function createModel(price?: ModelPrice) {
  return defineModel({
    id: "model-a",
    artifacts: "image",
    parameters: fields({
      prompt: text(1, 100),
      size: v.optional(v.picklist(["1k", "4k"]), "1k"),
      hd: v.optional(v.boolean()),
      count: v.optional(integer(1, 4), 1),
    }),
    logged: ["size", "hd", "count"],
    estimate: ({ count }) => ({ images: count, inputVideosMs: [], outputVideoMs: 0 }),
    ...(price && { price }),
  })
}

const MODEL = createModel()
const PRICES: PriceBook = [{ version: "1", models: { "model-a": PRICE } }]

interface Sold {
  readonly scene: Scene
  readonly task: Task
}

async function sell(
  parameters: object,
  options: Partial<Parameters<typeof createScene>[0]> = {},
): Promise<Sold> {
  const channel = createScriptedChannel({ submits: [completed()] })
  const cost = { perImageMicros: 1_000, factors: { size: { "4k": "3", "1k": "1" } } }
  const routes = [{ channel, costs: { "model-a": cost } }]
  const scene = createScene({ channels: routes, models: [MODEL], prices: PRICES, ...options })
  const { id } = await scene.submit({ prompt: "a harbour", ...parameters })
  await scene.clock.advance(10_000)
  return { scene, task: await scene.read(id) }
}

describe("a task with factors", () => {
  for (const [parameters, reserved, charged, factors] of [
    // (1001 × 2 + 7) × 2.5 × 1.1 = 5524.75
    [{ size: "4k", hd: true, count: 2 }, 5_525, 2_772, ["2.5", "1.1"]],
    [{}, 1_008, 1_008, ["1", "1"]],
    [{ hd: false }, 1_008, 1_008, ["1", "1"]],
  ] as const) {
    it(`of ${JSON.stringify(parameters)} is quoted what is reserved, and charged by what came`, async () => {
      const { scene, task } = await sell(parameters)
      const request = { account: "ada", model: "model-a" }
      const asked = { ...request, parameters: { prompt: "a harbour", ...parameters } }
      const quoted = await scene.engine.quote(asked)
      assert.ok(quoted.kind === "quoted")
      assert.deepEqual(
        [quoted.quote.maxCostMicros, quoted.quote.priceVersion, task.reservationMicros],
        [reserved, task.priceVersion, reserved],
      )
      // One picture comes, whatever was asked for.
      assert.deepEqual([task.state, task.chargeMicros], ["succeeded.available", charged])
      const lines = quoted.quote.lines.map((line) => line.factors?.map(({ factor }) => factor))
      assert.deepEqual(lines, [factors, factors])
      const usage = await scene.engine.findUsage({ account: "ada", id: task.id })
      assert.deepEqual(
        usage?.factors.map(({ factor }) => factor),
        factors,
      )
      const { storage } = scene
      const audit = createAudit({ storage, digest: sha256, prices: PRICES, models: [MODEL] })
      assert.deepEqual((await audit.replay()).findings, [])
    })
  }

  it("costs upstream by the factors of the channel", async () => {
    for (const [size, micros] of [
      ["4k", 3_000],
      ["1k", 1_000],
    ] as const) {
      const { scene, task } = await sell({ size })
      const end = scene.history(task.id).at(-1)
      assert.ok(end?.type === "succeeded")
      assert.deepEqual(toCostFigure(end.data.cost), { source: "computed", micros })
    }
  })

  it("is found by an audit that has other factors under the same name", async () => {
    const { scene, task } = await sell({ size: "4k" })
    const other = { ...PRICE, factors: { size: { "1k": "1", "4k": "2" }, hd: { "*": "1" } } }
    const edited: PriceBook = [{ version: "1", models: { "model-a": other } }]
    const { storage } = scene
    const audit = createAudit({ storage, digest: sha256, prices: edited, models: [MODEL] })
    const { findings } = await audit.replay()
    assert.deepEqual(
      findings.map(({ kind, task: id }) => [kind, id]),
      [["price-unknown", task.id]],
    )
  })

  it("that the price has no factor for is refused before anything is bought", async () => {
    const factors = { size: { "1k": "1" } }
    const prices: PriceBook = [{ version: "1", models: { "model-a": { ...PRICE, factors } } }]
    const channel = createScriptedChannel()
    const scene = createScene({ channels: [channel], models: [MODEL], prices })
    await assert.rejects(scene.submit({ prompt: "a harbour", size: "4k" }), RangeError)
    assert.deepEqual([channel.calls, scene.storage.events.size], [[], 0])
  })
})

describe("a model's own price", () => {
  const own = createModel(PRICE)

  it("is its price in every table that has none, so that a newer table leaves its tasks alone", async () => {
    const bare: PriceBook = [{ version: "1", models: {} }]
    const { scene, task } = await sell({ size: "4k" }, { models: [own], prices: bare })
    assert.equal(task.chargeMicros, 2_520)
    const newer: PriceBook = [
      ...bare,
      { version: "2", models: { "model-a": { perImageMicros: 1 } } },
    ]
    const { storage } = scene
    const audit = createAudit({ storage, digest: sha256, prices: newer, models: [own] })
    assert.deepEqual((await audit.replay()).findings, [])
    assert.match(task.priceVersion, /^1#[0-9a-f]{8}$/)
    assert.equal(toPriceVersion(bare[0], "model-a"), "1")
  })

  it("gives way to the table's", async () => {
    const table: PriceBook = [{ version: "1", models: { "model-a": { perImageMicros: 5 } } }]
    const { task } = await sell({ size: "4k" }, { models: [own], prices: table })
    assert.equal(task.chargeMicros, 5)
  })
})
