/** Tasks of models that files of JSON define: each keeps the meaning of the definition that it was accepted under. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createAudit } from "@safelight/audit"
import {
  defineModel,
  readModelFile,
  SafelightError,
  type Model,
  type SubmitOutcome,
} from "@safelight/core"
import { createMemoryStorage, createScriptedChannel, type MemoryStorage } from "@safelight/testkit"
import { sha256 } from "../core/support/sha256.ts"
import { createLogRecorder } from "./log-recorder.ts"
import { ACCEPTED, createScene, MODEL, PRICES, type Scene, type SceneOptions } from "./support.ts"

/** Pictures by `count`, and nothing of the file that is no part of a definition unless it is given. */
function readModel(more: object = {}): Model {
  const read = readModelFile({
    id: "acme/flux",
    outputs: { image: "/count" },
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["prompt"],
      properties: {
        prompt: { type: "string", minLength: 1, maxLength: 100 },
        count: { type: "integer", minimum: 1, maximum: 4, default: 1 },
        image_url: { type: "string", format: "uri", "x-media": "image" },
      },
    },
    ...more,
  })
  assert.ok(read.kind === "model", JSON.stringify(read))
  return read.model
}

const FLUX = readModel()
/** Edited: whatever is asked for, one picture is made. */
const SINGLE = readModel({ outputs: { image: 1 } })
const BOOK = [{ version: "1", models: { "acme/flux": { perImageMicros: 10 } } }] as const
const RUNNING = { kind: "running", pollAfterMs: 5_000 } as const

function made(count: number): SubmitOutcome {
  async function* open(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("picture")
  }
  return {
    kind: "completed",
    outputs: Array.from({ length: count }, () => ({ mimeType: "image/png", open })),
  }
}

interface Shop extends Scene {
  /** The same place after a restart with other models. */
  restart(models: readonly Model[], options?: Partial<SceneOptions>): Promise<Shop>
  order(parameters?: object): Promise<string>
}

function openShop(models: readonly Model[], options: Partial<SceneOptions> = {}): Shop {
  const scene = createScene({ channels: [], prices: BOOK, ...options, models })
  const { artifacts, clock, engine, storage } = scene
  return {
    ...scene,
    async restart(next, more) {
      await engine.stop()
      return openShop(next, { ...options, artifacts, clock, storage, ...more })
    },
    async order(parameters) {
      const asked = { prompt: "fog", ...parameters }
      const request = { account: "ada", model: "acme/flux", parameters: asked }
      const result = await engine.submit(request)
      assert.ok(result.kind === "submitted", JSON.stringify(result))
      return result.task.id
    },
  }
}

function createMaker(polls: readonly SubmitOutcome[] = []) {
  const models = ["acme/flux"]
  return createScriptedChannel({
    name: "north",
    models,
    submits: [ACCEPTED, ACCEPTED],
    polls: [RUNNING, ...(polls as readonly Extract<SubmitOutcome, { kind: "completed" }>[])],
  })
}

function listDefinitions(storage: MemoryStorage) {
  return storage.listDefinitions("model")
}

describe("a task of a model of a file", () => {
  it("names the definition, which is kept once, before the first of them", async () => {
    const shop = openShop([FLUX], { channels: [createMaker()] })
    assert.deepEqual(await listDefinitions(shop.storage), [])
    const tasks = [await shop.order(), await shop.order()]
    const [kept, ...others] = await listDefinitions(shop.storage)
    assert.deepEqual([kept?.body, others], [FLUX.definition, []])
    for (const id of tasks) {
      const [first] = shop.history(id)
      assert.ok(first?.type === "submitted")
      assert.equal(first.data.definition, kept?.digest)
      assert.equal(shop.storage.events.get(id)?.[0]?.schema, 2)
    }
  })

  it("is refused, and nothing is stored, while the definition can't be kept", async () => {
    const storage = createMemoryStorage()
    const { keepDefinitions } = storage
    const message = "the disk is full"
    storage.keepDefinitions = () =>
      Promise.reject(new SafelightError({ code: "storage-unavailable", message }))
    const shop = openShop([FLUX], { channels: [createMaker()], storage })
    await assert.rejects(shop.order(), { code: "storage-unavailable" })
    assert.equal(storage.events.size, 0)
    storage.keepDefinitions = keepDefinitions
    await shop.order()
    assert.equal((await listDefinitions(storage)).length, 1)
  })

  it("of any other model has none, and its events are as they were", async () => {
    const channel = createScriptedChannel({ submits: [made(1)] })
    const scene = createScene({ channels: [channel] })
    const { id } = await scene.submit()
    assert.deepEqual(await listDefinitions(scene.storage), [])
    assert.equal(scene.storage.events.get(id)?.[0]?.schema, 1)
    assert.equal(scene.storage.events.get(id)?.[0]?.data.includes("definition"), false)
  })

  it("has another definition only where what it means was changed", () => {
    const words = { title: "Flux", description: "Pictures.", examples: [{ prompt: "fog" }] }
    const price = { price: { perImageMicros: 4 }, providers: { fal: "fal-ai/flux" } }
    assert.equal(readModel({ ...words, ...price }).definition, FLUX.definition)
    assert.notEqual(SINGLE.definition, FLUX.definition)
    assert.notEqual(readModel({ logged: [] }).definition, FLUX.definition)
  })
})

describe("a model's file that was edited", () => {
  it("counts for new tasks, and running ones are collected and charged as they were accepted", async () => {
    const channel = createMaker([made(4)])
    const before = openShop([FLUX], { channels: [channel] })
    await before.clock.advance(0)
    const id = await before.order({ count: 3 })
    await before.clock.advance(1_000)
    assert.deepEqual(before.story(id), ["submitted", "dispatched", "accepted"])
    const after = await before.restart([SINGLE])
    assert.deepEqual(await after.engine.checkPrices(), [])
    await after.clock.advance(60_000)
    const task = await after.read(id)
    assert.deepEqual([task.artifacts.length, task.chargeMicros], [3, 30])
    const usage = await after.engine.findUsage({ account: "ada", id })
    assert.equal(usage?.imagesAsked, 3)
    const later = await after.read(await after.order({ count: 3 }))
    assert.equal(later.reservationMicros, 10)
    assert.notEqual(later.definition, task.definition)
    assert.equal((await listDefinitions(after.storage)).length, 2)
  })

  it("lets a task that waits be made as it was accepted", async () => {
    const submits = [
      (request: { readonly artifacts?: readonly string[] }) => {
        assert.deepEqual(request.artifacts, ["image"])
        return made(2)
      },
    ]
    const channel = createScriptedChannel({
      name: "north",
      models: ["acme/flux"],
      submits,
    })
    const before = openShop([FLUX], { channels: [channel], isStarted: false })
    const id = await before.order({ count: 2 })
    const after = await before.restart([SINGLE], { isStarted: true })
    await after.clock.advance(60_000)
    assert.equal((await after.read(id)).artifacts.length, 2)
  })
})

describe("a model's file that was removed", () => {
  it("has what is under way followed to its end, and nothing new begun", async () => {
    const recorder = createLogRecorder()
    const channel = createMaker([made(3)])
    const before = openShop([FLUX], { channels: [channel] })
    await before.clock.advance(0)
    const running = await before.order({ count: 3 })
    await before.clock.advance(1_000)
    assert.deepEqual(before.story(running), ["submitted", "dispatched", "accepted"])
    await before.engine.stop()
    // Accepted by a process that did not begin it.
    const { artifacts, clock, storage } = before
    const waiting = await openShop([FLUX], {
      channels: [channel],
      artifacts,
      clock,
      storage,
      isStarted: false,
    }).order()
    const other = createScriptedChannel({ name: "north", models: [] })
    const polls = { ...other, poll: (request: never) => channel.poll(request) }
    const after = openShop([MODEL], {
      artifacts,
      clock,
      storage,
      channels: [polls],
      log: recorder.log,
      prices: [{ version: "1", models: { ...BOOK[0].models, ...PRICES[0].models } }],
    })
    await after.clock.advance(60_000)
    const task = await after.read(running)
    assert.deepEqual(
      [task.state, task.artifacts.length, task.chargeMicros],
      ["succeeded.available", 3, 30],
    )
    assert.deepEqual(after.story(waiting), ["submitted"])
    const faults = await after.engine.checkPrices()
    assert.deepEqual(
      faults.map(({ kind, tasks }) => [kind, tasks]),
      [["unknown-model", 1]],
    )
    const request = { account: "ada", model: "acme/flux", parameters: { prompt: "fog" } }
    const refused = await after.engine.submit(request)
    assert.ok(refused.kind === "rejected" && refused.rejection.code === "model-not-found")
    const asked = channel.calls.filter(({ method }) => method === "poll").at(-1)?.request
    assert.deepEqual(asked && "artifacts" in asked ? asked.artifacts : undefined, ["image"])
  })

  it("leaves what nobody reads to others, and says so: a definition that was altered", async () => {
    const recorder = createLogRecorder()
    const channel = createMaker([made(1)])
    const before = openShop([FLUX], { channels: [channel] })
    await before.clock.advance(0)
    const id = await before.order()
    await before.clock.advance(1_000)
    const { storage } = before
    const { findDefinition } = storage
    storage.findDefinition = async (digest) => {
      const found = await findDefinition(digest)
      return found && { ...found, body: found.body.replace('"maximum":4', '"maximum":9') }
    }
    const after = await before.restart([SINGLE], { log: recorder.log })
    await after.clock.advance(120_000)
    assert.deepEqual(after.story(id), ["submitted", "dispatched", "accepted"])
    const told = recorder.entries.map(({ message }) => message)
    for (const message of ["definition unreadable", "tasks left to other nodes"]) {
      assert.equal(told.filter((each) => each === message).length, 1, message)
    }
  })
})

describe("the audit of such tasks", () => {
  async function sell(): Promise<Shop> {
    const shop = openShop([FLUX], { channels: [createMaker([made(2)])] })
    await shop.clock.advance(0)
    await shop.order({ count: 2 })
    await shop.clock.advance(60_000)
    return shop
  }

  it("needs no model: the price explains the charge", async () => {
    const { storage } = await sell()
    const wrong = defineModel({
      ...MODEL,
      id: "acme/flux",
      artifacts: "image",
      parameters: MODEL.parameters as never,
      charge: () => 1,
    })
    for (const models of [[], [FLUX], [wrong]]) {
      const audit = createAudit({ storage, digest: sha256, prices: BOOK, models })
      assert.deepEqual(await audit.replay().then(({ outcome }) => outcome), "whole")
    }
    const dearer = [{ version: "1", models: { "acme/flux": { perImageMicros: 11 } } }] as const
    const report = await createAudit({
      storage,
      digest: sha256,
      prices: dearer,
      models: [],
    }).replay()
    assert.deepEqual(
      report.findings.map(({ kind }) => kind),
      ["price-unknown"],
    )
  })

  it("finds a definition that is not kept, or is another one", async () => {
    const { storage } = await sell()
    const [kept] = await listDefinitions(storage)
    assert.ok(kept !== undefined)
    for (const [found, kind, outcome] of [
      [undefined, "definition-unknown", "could-not-tell"],
      [{ ...kept, body: "{}" }, "definition-differs", "differs"],
    ] as const) {
      const altered = { ...storage, findDefinition: async () => found }
      const audit = createAudit({ storage: altered, digest: sha256, prices: BOOK, models: [] })
      const report = await audit.replay()
      assert.deepEqual(
        [report.outcome, report.findings.map((each) => each.kind)],
        [outcome, [kind]],
      )
      assert.equal(report.findings[0]?.expected, kept.digest)
    }
  })
})
