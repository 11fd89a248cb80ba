/**
 * A service that is started without a price table that unfinished tasks were accepted under, or with another one of
 * that name, in this process: the database knows the price, and the tasks end by it. Of a price that it does not
 * know, as an earlier release left it, a service alone with its data is refused, and one beside other nodes says so.
 */
import assert from "node:assert/strict"
import { test } from "node:test"
import type { Service } from "safelight"
import { DEFAULT_PRICES, type PriceBook, type Storage } from "@safelight/core"
import { createEngine } from "@safelight/engine"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createMemoryArtifacts } from "@safelight/testkit"
import { createInstantChannel } from "../../support/instant-channel.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { priceVersionOf } from "../../support/price-version.ts"
import { createTestDatabase } from "../../support/test-database.ts"
import { openOwnServices, submitTask } from "../own-services.ts"

const [DEFAULT_TABLE] = DEFAULT_PRICES
const PRICE_MICROS = 777

function toBook(perImageMicros: number): PriceBook {
  const models = { ...DEFAULT_TABLE.models, [SAMPLE_REQUEST.model]: { perImageMicros } }
  return [...DEFAULT_PRICES, { version: "spring-2", models }]
}

const NEWER = toBook(PRICE_MICROS)
const VERSION = priceVersionOf(NEWER[1] ?? DEFAULT_TABLE, SAMPLE_REQUEST.model)

/** Accepts a task and stops before it can have been made. */
async function leaveTask({ engine, stop }: Service): Promise<string> {
  const { id } = await submitTask({ engine })
  await stop()
  return id
}

/** The same as by a release that keeps no prices. */
async function leaveUnknown(storage: Storage): Promise<void> {
  const channels = [createInstantChannel()]
  const artifacts = createMemoryArtifacts()
  const engine = createEngine({ storage, artifacts, channels, prices: NEWER })
  await submitTask({ engine })
  await engine.stop()
  await storage.close()
}

for (const [what, prices] of [
  ["is gone", DEFAULT_PRICES],
  ["has other prices now", toBook(1)],
] as const) {
  test(`a task whose table ${what} ends by the price that it was accepted under`, async (t) => {
    const { entries, start } = await openOwnServices(t)
    const id = await leaveTask(await start({ prices: NEWER }))
    const { engine } = await start({ prices })
    assert.deepEqual(await engine.checkPrices(), [])
    const task = await engine.finished(id)
    assert.deepEqual([task?.priceVersion, task?.chargeMicros], [VERSION, PRICE_MICROS])
    const usage = await engine.findUsage({ account: SAMPLE_REQUEST.account, id })
    assert.deepEqual(usage?.price, { perImageMicros: PRICE_MICROS })
    assert.deepEqual(
      entries.filter(({ message }) => message === "price mismatch"),
      [],
    )
  })
}

test("a service alone with its data is refused without a price that the database does not know", async (t) => {
  const { folder, start } = await openOwnServices(t)
  await leaveUnknown(await createSqliteStorage({ folder, mode: "serve" }))
  const { model } = SAMPLE_REQUEST
  await assert.rejects(start({}), {
    code: "invalid-configuration",
    message: `prices: an unfinished task of ${model} must be charged by table "${VERSION}", which is missing: put it back before the newer tables`,
  })
  await assert.rejects(start({ prices: toBook(1) }), {
    code: "invalid-configuration",
    message: `prices: an unfinished task of ${model} would be charged other prices than table "${VERSION}" had: put the table and the model back as they were, and give new prices a table of their own, and a changed model another id`,
  })
  const service = await start({ prices: NEWER })
  assert.deepEqual(await service.engine.checkPrices(), [])
})

test("a node beside others serves without it, and says so", async (t) => {
  await using database = await createTestDatabase()
  const { entries, start } = await openOwnServices(t)
  const shared = { database: database.url }
  await leaveUnknown(await createPostgresStorage({ url: database.url }))
  await start(shared)
  const { model } = SAMPLE_REQUEST
  const advice = "add the table to `prices`, or these tasks are left to other nodes"
  const expected = { kind: "missing", model, priceVersion: VERSION, tasks: 1, advice }
  const errors = entries.filter(({ level }) => level === "error").map(({ fields }) => fields)
  assert.deepEqual(
    errors.filter((fields) => "priceVersion" in fields),
    [expected],
  )
})
