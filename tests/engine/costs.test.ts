/**
 * What an attempt cost upstream: recorded as a provider told it, computed where only a unit price is
 * known, and never mixed up. A figure that is none loses no result, and what was billed and came to
 * nothing stays in sight.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import {
  toCostFigure,
  type AttemptCost,
  type ProviderCost,
  type SubmitOutcome,
  type TaskEvent,
  type UnitCost,
} from "@safelight/core"
import { createAudit } from "@safelight/audit"
import { sha256, type ContentRefusals } from "@safelight/engine"
import { createScriptedChannel, type ScriptedChannel } from "@safelight/testkit"
import { createLogRecorder } from "./log-recorder.ts"
import { completed, createScene, MODEL, PRICES, type Scene, submitTo } from "./support.ts"

const ALL = { from: 0, to: Number.MAX_SAFE_INTEGER }

type Ended = Extract<TaskEvent, { type: "succeeded" | "failed" | "deferred" }>

const isEnd = (event: TaskEvent): event is Ended =>
  event.type === "succeeded" || event.type === "failed" || event.type === "deferred"

/** What the log says of each attempt's cost, in order. */
const costsOf = (scene: Scene, id: string): readonly AttemptCost[] =>
  scene
    .history(id)
    .filter(isEnd)
    .map(({ data }) => data.cost)

/** One task, carried out by one channel with this unit price. */
async function carryOut(outcome: unknown, price?: UnitCost, { isFree = false } = {}) {
  const { entries, log } = createLogRecorder()
  const channel = createScriptedChannel({ submits: [outcome as SubmitOutcome], isFree })
  const costs = price && { [MODEL.id]: price }
  const scene = createScene({ channels: [{ channel, ...(costs && { costs }) }], log })
  const { id } = await scene.submit({ prompt: "fog", count: 2 })
  await scene.clock.advance(5_000)
  const task = await scene.read(id)
  const [cost] = costsOf(scene, id)
  const [sum] = await scene.storage.sumOutcomes(ALL)
  await scene.engine.stop()
  return { cost, entries, scene, sum, task }
}

const withCost = (cost: unknown) => ({ ...completed(), cost })
const usd = (amount: number): ProviderCost => ({ amount, unit: "usd" })

describe("the cost of a result", () => {
  it("is recorded as it was told, in millionths", async () => {
    const { cost, sum, task } = await carryOut(withCost(usd(0.04)), { perImageMicros: 1 })
    assert.deepEqual(cost, { computedMicros: null, told: { micros: 40_000, unit: "usd" } })
    assert.deepEqual([sum?.toldMicros, sum?.computedMicros, sum?.unknown], [40_000, 0, 0])
    assert.deepEqual([task.state, task.chargeMicros], ["succeeded.available", 30_000])
    assert.equal(JSON.stringify(task).includes("40000"), false)
  })

  const unknown: readonly (readonly [what: string, cost: unknown, price?: UnitCost])[] = [
    ["nothing is told", undefined],
    ["only the other kind has a price", undefined, { perVideoSecondMicros: 5 }],
    ["a unit has a price and none is told", undefined, { perUnitMicros: 5 }],
  ]
  for (const [what, told, price] of unknown) {
    it(`is unknown where ${what}`, async () => {
      const { cost, sum } = await carryOut(withCost(told), price)
      assert.equal(cost, "unknown")
      assert.deepEqual([sum?.succeeded, sum?.toldMicros, sum?.unknown], [1, 0, 1])
    })
  }

  it("is known to be 0 at a channel that costs nothing, unless its operator gives it a price", async () => {
    const free = { isFree: true }
    const { cost, sum } = await carryOut(withCost(undefined), undefined, free)
    assert.deepEqual(cost, { computedMicros: 0, told: null })
    assert.deepEqual([sum?.succeeded, sum?.computedMicros, sum?.unknown], [1, 0, 0])
    const refused = { kind: "refused", code: "provider_rejected", billed: "maybe" }
    assert.deepEqual((await carryOut(refused, undefined, free)).cost, cost)
    const priced = await carryOut(withCost(undefined), { perImageMicros: 7 }, free)
    assert.deepEqual(priced.cost, { computedMicros: 7, told: null })
  })

  it("is computed by what was made, or by the provider's own units, beside what was told", async () => {
    const credits = { amount: 12.5, unit: "credits" }
    const told = { micros: 12_500_000, unit: "credits" }
    const computed = async (cost: unknown, price?: UnitCost) =>
      (await carryOut(withCost(cost), price)).cost
    assert.deepEqual(await computed(undefined, { perImageMicros: 7_000 }), {
      computedMicros: 7_000,
      told: null,
    })
    assert.deepEqual(await computed(credits), { computedMicros: null, told })
    assert.deepEqual(await computed(credits, { perImageMicros: 7_000 }), {
      computedMicros: 7_000,
      told,
    })
    assert.deepEqual(await computed(credits, { perImageMicros: 7_000, perUnitMicros: 10_001 }), {
      // 12.5 × 10,001, rounded up.
      computedMicros: 125_013,
      told,
    })
    assert.deepEqual(await computed(usd(0), { perImageMicros: 7_000 }), {
      computedMicros: null,
      told: { micros: 0, unit: "usd" },
    })
  })

  const hostile: readonly unknown[] = [
    usd(Number.NaN),
    usd(Number.POSITIVE_INFINITY),
    usd(1e300),
    usd(10_000_001),
    usd(-1),
    usd(-0.000_000_1),
    { amount: "0.04", unit: "usd" },
    { amount: 1n, unit: "usd" },
    { amount: 1, unit: "" },
    { amount: 1, unit: "us dollars\n" },
    { amount: 1, unit: "u".repeat(41) },
    { amount: 1 },
    { unit: "usd" },
    [1, "usd"],
    "0.04",
    7,
    null,
  ]
  for (const [index, cost] of hostile.entries()) {
    it(`that is none loses no result, and is said: ${index}`, async () => {
      const { cost: recorded, entries, task } = await carryOut(withCost(cost))
      assert.deepEqual([task.state, recorded], ["succeeded.available", "unknown"])
      const told = entries.flatMap(({ fields }) => fields["what"] ?? [])
      assert.deepEqual(told, ["cost is no amount with a unit"])
    })
  }
})

describe("the cost of what came to nothing", () => {
  const refusal = { kind: "refused", code: "provider_rejected" } as const

  it("is nothing where nobody billed it, and unknown where somebody may have", async () => {
    assert.equal((await carryOut(refusal)).cost, "none")
    const maybe = await carryOut({ ...refusal, billed: "maybe" }, { perImageMicros: 7 })
    assert.deepEqual([maybe.cost, maybe.task.chargeMicros, maybe.sum?.unknown], ["unknown", 0, 1])
  })

  it("is told for a failure, which its account pays only where that is said", async () => {
    const told = { computedMicros: null, told: { micros: 50_000, unit: "usd" } }
    const quiet = await carryOut({ ...refusal, billed: "maybe", cost: usd(0.05) })
    assert.deepEqual([quiet.cost, quiet.task.chargeMicros], [told, 0])
    const billed = { images: 1, outputVideoMs: 0 }
    const loud = await carryOut({ ...refusal, billed, cost: usd(0.05) })
    assert.deepEqual([loud.cost, loud.task.chargeMicros], [told, 30_000])
    const computed = await carryOut({ ...refusal, billed }, { perImageMicros: 7 })
    assert.deepEqual(computed.cost, { computedMicros: 7, told: null })
  })

  it("stays in sight where the attempt is made again, and where nothing can be used", async () => {
    const lost = { kind: "not-created", reason: "provider_failed", cost: usd(0.01) } as const
    const channel = createScriptedChannel({ submits: [lost, withCost(usd(0.02)) as SubmitOutcome] })
    const { scene, id } = await submitTo(channel)
    await scene.clock.advance(10_000)
    const figures = costsOf(scene, id).map((cost) => toCostFigure(cost).micros)
    assert.deepEqual(figures, [10_000, 20_000])
    const [sum] = await scene.storage.sumOutcomes(ALL)
    assert.deepEqual([sum?.succeeded, sum?.failed, sum?.toldMicros], [1, 0, 30_000])
    await scene.engine.stop()
    const empty = await carryOut({ kind: "completed", outputs: [], cost: usd(0.03) })
    assert.equal(empty.task.error?.code, "no_output")
    assert.deepEqual([empty.sum?.failed, empty.sum?.toldMicros], [1, 30_000])
    const useless = await carryOut({ kind: "completed", outputs: "film", cost: usd(0.03) })
    assert.equal(useless.task.error?.code, "internal_error")
    assert.deepEqual([useless.sum?.failed, useless.sum?.toldMicros], [1, 30_000])
  })

  it("keeps no task from its end, which may come while it waits to be tried again", async () => {
    const lost = { kind: "not-created", reason: "failed", retryAfterMs: 60_000 } as const
    const channel = createScriptedChannel({ submits: [{ ...lost, cost: usd(0.01) }] })
    const scene = createScene({ channels: [channel], settings: { endAfterMs: 30_000 } })
    const { id } = await scene.submit()
    await scene.clock.advance(31_000)
    await scene.engine.sweep()
    assert.equal((await scene.read(id)).error?.code, "provider_unavailable")
    const [sum] = await scene.storage.sumOutcomes(ALL)
    assert.deepEqual([sum?.failed, sum?.toldMicros], [0, 10_000])
    const { storage } = scene
    const audit = createAudit({ storage, digest: sha256, prices: PRICES, models: [MODEL] })
    assert.deepEqual((await audit.replay()).findings, [])
    await scene.engine.stop()
  })

  it("is unknown where the time of a running task is up, and nothing where nobody had it", async () => {
    const running = createScriptedChannel({ submits: [{ kind: "accepted", operation: "op-1" }] })
    const { scene, id } = await submitTo(running)
    await scene.clock.advance(20 * 60_000)
    await scene.engine.sweep()
    assert.deepEqual(costsOf(scene, id), ["unknown"])
    await scene.engine.stop()
    const away = createScriptedChannel({
      submits: Array.from(
        { length: 200 },
        () => ({ kind: "not-created", reason: "unreachable" }) as const,
      ),
    })
    const idle = createScene({ channels: [away] })
    const task = await idle.submit()
    await idle.clock.advance(20 * 60_000)
    await idle.engine.sweep()
    const costs = new Set(costsOf(idle, task.id))
    assert.deepEqual([...costs], ["none"])
    await idle.engine.stop()
  })
})

describe("the sums of many tasks", () => {
  it("are those of the log, which an audit makes again", async () => {
    const elsewhere = { kind: "refused", code: "provider_rejected", isFinal: false } as const
    const north = createScriptedChannel({
      name: "north",
      submits: [
        withCost(usd(0.01)),
        withCost({ amount: 2, unit: "credits" }),
        completed(),
        { ...elsewhere, cost: usd(0.25) },
        elsewhere,
      ] as SubmitOutcome[],
    })
    const south = createScriptedChannel({
      name: "south",
      submits: [
        { kind: "refused", code: "no_output", billed: "maybe" },
        withCost(usd(0.5)) as SubmitOutcome,
      ],
    })
    const routes = [
      { channel: north, costs: { [MODEL.id]: { perUnitMicros: 1_000 } } },
      { channel: south, tier: 2 },
    ]
    const scene = createScene({ channels: routes })
    for (let tasks = 0; tasks < 5; tasks += 1) {
      await scene.submit()
      await scene.clock.advance(2_000)
    }
    const sums = await scene.storage.sumOutcomes(ALL)
    const total = (field: "succeeded" | "failed" | "toldMicros" | "computedMicros" | "unknown") =>
      sums.reduce((sum, each) => sum + each[field], 0)
    assert.equal(total("succeeded") + total("failed"), 5)
    const logged = [...scene.storage.events.keys()]
      .flatMap((id) => costsOf(scene, id))
      .map(toCostFigure)
    const bySource = (source: string) => logged.filter((each) => each.source === source)
    const add = (figures: typeof logged) => figures.reduce((sum, { micros }) => sum + micros, 0)
    assert.equal(total("toldMicros"), add(bySource("told")))
    assert.equal(total("computedMicros"), add(bySource("computed")))
    assert.equal(total("unknown"), bySource("unknown").length)
    const figures = [total("toldMicros"), total("computedMicros"), total("unknown")]
    assert.deepEqual(figures, [760_000, 2_000, 2])
    const audit = createAudit({
      storage: scene.storage,
      digest: sha256,
      prices: PRICES,
      models: [MODEL],
    })
    assert.deepEqual((await audit.replay()).findings, [])
    await scene.engine.stop()
  })
})

describe("a task that one channel refused", () => {
  const content = { kind: "refused", code: "content_policy_violation" } as const
  const rejected = { kind: "refused", code: "provider_rejected" } as const

  async function offer(
    refusals: readonly SubmitOutcome[],
    { contentRefusals, count = 2 }: { contentRefusals?: ContentRefusals; count?: number } = {},
  ) {
    const names = ["north", "south", "east"].slice(0, count)
    const channels = names.map((name, index): ScriptedChannel => {
      const refusal = refusals[index]
      return createScriptedChannel({ name, submits: [refusal ?? completed()] })
    })
    const routes = channels.map((channel, index) => ({ channel, tier: index + 1 }))
    const scene = createScene({ channels: routes, ...(contentRefusals && { contentRefusals }) })
    const { id } = await scene.submit()
    await scene.clock.advance(30_000)
    const task = await scene.read(id)
    const asked = channels.map(({ calls }) => calls.length)
    await scene.engine.stop()
    return { asked, scene, task, history: scene.history(id) }
  }

  it("for its content is asked of nobody else, whatever the channel says", async () => {
    for (const isFinal of [true, false]) {
      const { asked, task } = await offer([{ ...content, isFinal }])
      assert.deepEqual([asked, task.error?.code], [[1, 0], "content_policy_violation"])
    }
  })

  it("for its content is asked of the others where the configuration says so", async () => {
    const { asked, history, task } = await offer([{ ...content, cost: usd(0.02) }], {
      contentRefusals: "ask-others",
    })
    assert.deepEqual(
      [asked, task.state, task.refusedBy],
      [[1, 1], "succeeded.available", ["north"]],
    )
    const deferred = history.find(({ type }) => type === "deferred")
    assert.ok(deferred?.type === "deferred")
    const { cost, isRefusal, reason } = deferred.data
    assert.deepEqual([isRefusal, reason], [true, "content_policy_violation"])
    assert.equal(toCostFigure(cost).micros, 20_000)
    const again = history.findLast(({ type }) => type === "dispatched")
    assert.ok(again?.type === "dispatched")
    assert.match(again.data.because, /north: has refused it/)
  })

  it("is asked of the others where the channel says that it may be, and of none of them twice", async () => {
    const open = { ...rejected, isFinal: false }
    const found = await offer([open])
    assert.deepEqual([found.asked, found.task.state], [[1, 1], "succeeded.available"])
    const refused = await offer([open, open, open], { count: 3 })
    assert.deepEqual([refused.asked, refused.task.error?.code], [[1, 1, 1], "provider_rejected"])
    const closed = await offer([rejected])
    assert.deepEqual([closed.asked, closed.task.error?.code], [[1, 0], "provider_rejected"])
    const alone = await offer([open], { count: 1 })
    assert.deepEqual([alone.asked, alone.task.error?.code], [[1], "provider_rejected"])
  })
})
