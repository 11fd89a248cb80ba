/**
 * A model of a host's own that goes, changes or is served by nobody, in this process: unfinished tasks of
 * it are told, and a channel that is to make what nobody defines is refused.
 */
import assert from "node:assert/strict"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, it, type TestContext } from "node:test"
import { defineModel, fields as members, MODELS, text, type Model } from "@safelight/core"
import { DEFAULTS, type Configuration, type Service } from "safelight"
import { priceVersionOf } from "../../support/price-version.ts"
import { createTestDatabase } from "../../support/test-database.ts"
import { openOwnServices, submitTask } from "../own-services.ts"

const ID = "acme/one"
const [BUILT_IN] = DEFAULTS.prices
const PRICES = [
  BUILT_IN,
  { version: "2", models: { ...BUILT_IN.models, [ID]: { perImageMicros: 5 } } },
] as const
const VERSION = priceVersionOf(PRICES[1], ID)

/** It never answers. */
const CHANNEL = `export default () => ({
  name: "one", models: ["${ID}"], submission: { kind: "unkeyed" }, concurrency: 1,
  submitTimeoutMs: 1000, submit: () => new Promise(() => {}), poll: () => new Promise(() => {}),
})`

function own(images = 1): Model {
  return defineModel({
    id: ID,
    artifacts: "image",
    parameters: members({ word: text(0, 9) }),
    logged: [],
    estimate: () => ({ images, inputVideosMs: [], outputVideoMs: 0 }),
  })
}

async function createWorld(t: TestContext) {
  const { entries, folder, start } = await openOwnServices(t)
  const module = join(folder, "one.mjs")
  await writeFile(module, CHANNEL)
  return {
    channels: [{ type: "studio" }, { module, tier: 2 }],
    entries,
    // A node that makes the model is not needed for its tasks to wait.
    start: (changes: Partial<Configuration>) =>
      start({ prices: PRICES, engine: { queueUnavailable: true }, ...changes }),
  }
}

async function leaveTask({ engine, stop }: Service): Promise<void> {
  const request = { account: "ada", model: ID, parameters: { word: "a" } }
  assert.equal((await submitTask({ engine }, request)).reservationMicros, 5)
  await stop()
}

const missing = { kind: "unknown-model", model: ID, priceVersion: VERSION, tasks: 1 }

describe("a service whose unfinished tasks are of a model that is gone", () => {
  it("is refused alone with its data, in one line with model, table and number", async (t) => {
    const { start } = await createWorld(t)
    await leaveTask(await start({ models: [...MODELS, own()] }))
    await assert.rejects(start({}), {
      code: "invalid-configuration",
      message: `prices: an unfinished task of acme/one, to be charged by table "${VERSION}": the model is missing: put its file back into "models"`,
    })
    const service = await start({ models: [...MODELS, own()] })
    assert.deepEqual(await service.engine.checkPrices(), [])
  })

  it("says so beside other nodes, and leaves the tasks to them", async (t) => {
    await using database = await createTestDatabase()
    const { entries, start } = await createWorld(t)
    const shared = { database: database.url }
    await leaveTask(await start({ ...shared, models: [...MODELS, own()] }))
    await start(shared)
    const told = entries.filter(({ fields }) => "priceVersion" in fields)
    assert.deepEqual(
      told.map(({ fields }) => ({ ...fields, advice: undefined })),
      [{ ...missing, advice: undefined }],
    )
    assert.equal(told[0]?.message, "price mismatch")
    assert.match(String(told[0]?.fields["advice"]), /^put the model's file back into `models`/)
  })

  it("is refused alone where the model reserves another price now", async (t) => {
    const { start } = await createWorld(t)
    await leaveTask(await start({ models: [...MODELS, own()] }))
    await assert.rejects(start({ models: [...MODELS, own(2)] }), {
      code: "invalid-configuration",
      message:
        /^prices: an unfinished task of acme\/one would be charged other prices than table "2#/,
    })
  })

  it("says so beside other nodes where the model reserves another price now", async (t) => {
    await using database = await createTestDatabase()
    const { entries, start } = await createWorld(t)
    const shared = { database: database.url }
    await leaveTask(await start({ ...shared, models: [...MODELS, own()] }))
    await start({ ...shared, models: [...MODELS, own(2)] })
    const told = entries.filter(({ fields }) => "priceVersion" in fields)
    assert.deepEqual(
      told.map(({ fields }) => ({ ...fields, advice: undefined })),
      [{ ...missing, kind: "differs", advice: undefined }],
    )
  })
})

describe("a channel of a configuration", () => {
  it("that is to make a model nobody defines is refused, and told where models are named", async (t) => {
    const { channels, start } = await createWorld(t)
    await assert.rejects(start({ channels, prices: DEFAULTS.prices }), {
      code: "invalid-configuration",
      message:
        'channels: one is to make "acme/one", which is no model: "models" of the configuration names the file that defines it',
    })
  })

  it("is missed by a model that none makes", async (t) => {
    const { channels, entries, start } = await createWorld(t)
    const told = () => entries.filter(({ message }) => message === "model without a channel")
    const models = [...MODELS, own()]
    await (await start({ models, channels })).stop()
    assert.deepEqual(told(), [])
    await start({ models })
    assert.deepEqual(
      told().map(({ fields, level }) => [level, fields]),
      [["warn", { model: ID }]],
    )
  })
})

describe("the models of a host", () => {
  it("are checked as those of files", async (t) => {
    const { start } = await createWorld(t)
    const wrong = { ...own(), id: "Task" }
    await assert.rejects(start({ models: [...MODELS, wrong] }), {
      code: "invalid-configuration",
      message: /^models: "Task" needs an id such as /,
    })
    await assert.rejects(start({ models: [...MODELS, own(), own()] }), {
      code: "invalid-configuration",
      message: "models: two have the id acme/one",
    })
    await assert.rejects(start({ models: [...MODELS, own()], prices: DEFAULTS.prices }), {
      code: "invalid-configuration",
      message: /^prices: table default-1 has no usable price for model acme\/one$/,
    })
  })
})
