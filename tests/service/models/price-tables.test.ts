/**
 * A service that is started without a price table that unfinished tasks were accepted under, in this
 * process: alone with its data it is refused, beside other nodes it says so and serves.
 */
import assert from "node:assert/strict"
import { test } from "node:test"
import type { Service } from "safelight"
import { DEFAULT_PRICES } from "@safelight/core"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { priceVersionOf } from "../../support/price-version.ts"
import { createTestDatabase } from "../../support/test-database.ts"
import { openOwnServices, submitTask } from "../own-services.ts"

const [DEFAULT_TABLE] = DEFAULT_PRICES
const NEWER = [...DEFAULT_PRICES, { ...DEFAULT_TABLE, version: "spring-2" }] as const

const VERSION = priceVersionOf(NEWER[1], SAMPLE_REQUEST.model)

/** Accepts a task and stops before it can have been made. */
async function leaveTask({ engine, stop }: Service): Promise<void> {
  await submitTask({ engine })
  await stop()
}

test("a service alone with its data is refused without a table that unfinished tasks name", async (t) => {
  const { start } = await openOwnServices(t)
  await leaveTask(await start({ prices: NEWER }))
  await assert.rejects(start({}), {
    code: "invalid-configuration",
    message: `prices: an unfinished task of vendor-a/v4.1/flash/text-to-image must be charged by table "${VERSION}", which is missing: put it back before the newer tables`,
  })
  const service = await start({ prices: NEWER })
  assert.deepEqual(await service.engine.checkPrices(), [])
})

test("a service alone with its data is refused where a table that unfinished tasks name was edited", async (t) => {
  const { start } = await openOwnServices(t)
  await leaveTask(await start({ prices: NEWER }))
  const edited = { version: "spring-2", models: { ...DEFAULT_TABLE.models } }
  edited.models[SAMPLE_REQUEST.model] = { perImageMicros: 1 }
  await assert.rejects(start({ prices: [DEFAULT_TABLE, edited] }), {
    code: "invalid-configuration",
    message: `prices: an unfinished task of ${SAMPLE_REQUEST.model} would be charged other prices than table "${VERSION}" had: put the table and the model back as they were, and give new prices a table of their own, and a changed model another id`,
  })
  await start({ prices: NEWER })
})

test("a node beside others serves without it, and says so", async (t) => {
  await using database = await createTestDatabase()
  const { entries, start } = await openOwnServices(t)
  const shared = { database: database.url }
  await leaveTask(await start({ ...shared, prices: NEWER }))
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
