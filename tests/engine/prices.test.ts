/** Nodes of two price configurations over one storage: nothing is bought that can't be settled. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Log, LogFields, Model, PriceBook } from "@safelight/core"
import { createAudit } from "@safelight/audit"
import { createEngine, sha256, type Engine } from "@safelight/engine"
import {
  createManualClock,
  createScriptedChannel,
  type ScriptedChannelOptions,
  createMemoryArtifacts,
  createMemoryStorage,
} from "@safelight/testkit"
import { priceVersionOf } from "../support/price-version.ts"
import { completed, MODEL, PRICES, SETTINGS } from "./support.ts"

const NEWER: PriceBook = [
  ...PRICES,
  { version: "2", models: { "model-a": { perImageMicros: 40_000 } } },
]

const [VERSION_1, VERSION_2] = NEWER.map((table) => priceVersionOf(table, "model-a"))

const EDITED: PriceBook = [{ version: "1", models: { "model-a": { perImageMicros: 10_000 } } }]

function createNodes() {
  const clock = createManualClock()
  const storage = createMemoryStorage()
  const artifacts = createMemoryArtifacts()
  function create(prices: PriceBook, options: ScriptedChannelOptions = {}, model = MODEL) {
    const logged: { readonly fields: LogFields; readonly message: string }[] = []
    const record: Log["info"] = (fields, message) => void logged.push({ fields, message })
    const channel = createScriptedChannel(options)
    const engine = createEngine({
      storage,
      artifacts,
      clock,
      channels: [channel],
      models: [model],
      prices,
      settings: { ...SETTINGS, endAfterMs: 3_600_000 },
      log: { info: record, warn: record, error: record },
    })
    return { channel, engine, logged }
  }
  const read = async (id: string) => (await storage.readTask(id))?.task
  const stories = () => [...storage.events.values()].map((events) => events.map(({ type }) => type))
  return { artifacts, clock, create, read, storage, stories }
}

async function submit(engine: Engine): Promise<string> {
  const parameters = { prompt: "a quiet harbour" }
  const result = await engine.submit({ account: "ada", model: "model-a", parameters })
  assert.ok(result.kind === "submitted")
  return result.task.id
}

describe("a node that lacks a task's prices", () => {
  it("sends nothing, says so once, and leaves the task to a node that has them", async () => {
    const { artifacts, clock, create, read, stories } = createNodes()
    const old = create(PRICES)
    const newer = create(NEWER, { submits: [completed(), completed(), completed()] })
    const ids = [await submit(newer.engine), await submit(newer.engine), await submit(newer.engine)]
    old.engine.start()
    await clock.advance(600_000)
    assert.deepEqual(old.channel.calls, [])
    assert.equal(artifacts.locators.size, 0)
    assert.deepEqual(stories(), [["submitted"], ["submitted"], ["submitted"]])
    assert.deepEqual(
      old.logged.map(({ fields, message }) => [fields["lack"], message]),
      [[`model model-a with a price in table ${VERSION_2}`, "tasks left to other nodes"]],
    )
    newer.engine.start()
    await clock.advance(120_000)
    for (const id of ids) {
      const task = await read(id)
      assert.deepEqual([task?.state, task?.chargeMicros], ["succeeded.available", 40_000])
    }
    assert.deepEqual(old.channel.calls, [])
  })

  it("keeps nothing waiting that it can settle", async () => {
    const { clock, create, read } = createNodes()
    const old = create(PRICES, { concurrency: 1, submits: [completed()] })
    const newer = create(NEWER)
    for (let count = 0; count < 5; count += 1) await submit(newer.engine)
    const id = await submit(old.engine)
    old.engine.start()
    await clock.advance(10_000)
    assert.equal((await read(id))?.state, "succeeded.available")
  })

  it("leaves a task to others that runs at its channel already", async () => {
    const { clock, create, read, storage } = createNodes()
    const accepted = { kind: "accepted", operation: 1 } as const
    const running = { kind: "running", pollAfterMs: 5_000 } as const
    const newer = create(NEWER, { submits: [accepted], polls: [running] })
    newer.engine.start()
    await clock.advance(0)
    const id = await submit(newer.engine)
    await clock.advance(1_000)
    await newer.engine.stop()
    const old = create(PRICES)
    old.engine.start()
    await clock.advance(60_000)
    assert.deepEqual([old.channel.calls, (await read(id))?.state], [[], "running"])
    const next = create(NEWER, { polls: [completed()] })
    next.engine.start()
    await clock.advance(120_000)
    assert.equal((await read(id))?.state, "succeeded.available")
    assert.equal(storage.events.get(id)?.length, 4)
  })
})

describe("a node whose table was edited under its name", () => {
  it("charges no task by the new prices that was accepted by the old ones, and leaves it", async () => {
    const { clock, create, read, stories } = createNodes()
    const id = await submit(create(PRICES).engine)
    const edited = create(EDITED, { submits: [completed()] })
    edited.engine.start()
    await clock.advance(60_000)
    assert.deepEqual([edited.channel.calls, stories()], [[], [["submitted"]]])
    assert.deepEqual(
      (await edited.engine.checkPrices()).map(({ kind, priceVersion }) => [kind, priceVersion]),
      [["differs", VERSION_1]],
    )
    await edited.engine.stop()
    create(PRICES, { submits: [completed()] }).engine.start()
    await clock.advance(120_000)
    assert.equal((await read(id))?.chargeMicros, 30_000)
  })

  it("takes another model's price for no reason to leave anything", async () => {
    const { clock, create, read } = createNodes()
    const id = await submit(create(PRICES).engine)
    const [{ models }] = PRICES
    const more = [
      { version: "1", models: { ...models, "model-b": { perImageMicros: 1 } } },
    ] as const
    create(more, { submits: [completed()] }).engine.start()
    await clock.advance(10_000)
    assert.equal((await read(id))?.chargeMicros, 30_000)
  })

  it("finds no fault with a charge by the old prices when it audits: it says that they lack", async () => {
    const { clock, create, storage } = createNodes()
    const node = create(PRICES, { submits: [completed()] })
    node.engine.start()
    await submit(node.engine)
    await clock.advance(10_000)
    const audit = async (prices: PriceBook) => {
      const { findings } = await createAudit({
        storage,
        digest: sha256,
        models: [MODEL],
        prices,
      }).replay()
      return findings.map(({ kind }) => kind)
    }
    assert.deepEqual([await audit(PRICES), await audit(EDITED)], [[], ["price-unknown"]])
  })
})

describe("a look at the prices of unfinished tasks", () => {
  it("finds tables that are missing or are not what they were, with how many tasks", async () => {
    const { create } = createNodes()
    const [first, second] = [create(PRICES).engine, create(NEWER).engine]
    for (const engine of [first, second, second]) await submit(engine)
    assert.deepEqual(await second.checkPrices(), [])
    assert.deepEqual(await first.checkPrices(), [
      { kind: "missing", model: "model-a", priceVersion: VERSION_2, tasks: 2 },
    ])
    const edited: PriceBook = [
      { version: "1", models: { "model-a": { perImageMicros: 31_000 } } },
      ...NEWER.slice(1),
    ]
    assert.deepEqual(await create(edited).engine.checkPrices(), [
      { kind: "differs", model: "model-a", priceVersion: VERSION_1, tasks: 1 },
    ])
  })

  it("finds a model that is missing, or no longer reads what it took", async () => {
    const { create } = createNodes()
    await submit(create(PRICES).engine)
    const seen = async (model: Model) => {
      const prices = [
        {
          version: "1",
          models: { "model-a": { perImageMicros: 30_000 }, "model-b": { perImageMicros: 1 } },
        },
      ] as const
      const [fault] = await create(prices, {}, model).engine.checkPrices()
      return fault
    }
    const told = { model: "model-a", priceVersion: VERSION_1, tasks: 1 }
    assert.deepEqual(await seen({ ...MODEL, id: "model-b" }), { ...told, kind: "unknown-model" })
    const estimate = (): never => {
      throw new TypeError("nothing that I know")
    }
    assert.deepEqual(await seen({ ...MODEL, estimate }), { ...told, kind: "differs" })
    assert.equal(await seen(MODEL), undefined)
  })
})
