/**
 * A service that is started without a price table that unfinished tasks were accepted under, in this
 * process: alone with its data it is refused, beside other nodes it says so and serves.
 */
import assert from "node:assert/strict"
import { test, type TestContext } from "node:test"
import { createService, DEFAULTS, type Configuration, type Service } from "safelight"
import { DEFAULT_PRICES } from "@safelight/core"
import { createLogRecorder } from "../../engine/log-recorder.ts"
import { SAMPLE_REQUEST } from "../../support/sample-request.ts"
import { priceVersionOf } from "../../support/price-version.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { createTestDatabase } from "../../support/test-database.ts"

const [DEFAULT_TABLE] = DEFAULT_PRICES
const NEWER = [...DEFAULT_PRICES, { ...DEFAULT_TABLE, version: "spring-2" }] as const

const VERSION = priceVersionOf(NEWER[1], SAMPLE_REQUEST.model)

type Changes = Partial<Configuration>

async function createWorld(t: TestContext): Promise<{
  start(changes: Changes): Promise<Service>
  readonly errors: () => readonly object[]
}> {
  const places = new AsyncDisposableStack()
  t.after(() => places.disposeAsync())
  const folder = places.use(await createTemporaryFolder())
  const { entries, log } = createLogRecorder()
  return {
    async start(changes) {
      const own = { port: 0, stopGraceMs: 0, data: folder.path, ...changes }
      const service = await createService({ configuration: { ...DEFAULTS, ...own }, log })
      places.defer(() => service.stop())
      return service
    },
    errors: () => entries.filter(({ level }) => level === "error").map(({ fields }) => fields),
  }
}

/** Accepts a task and stops before it can have been made. */
async function leaveTask({ engine, stop }: Service): Promise<void> {
  const submission = await engine.submit(SAMPLE_REQUEST)
  assert.equal(submission.kind, "submitted")
  await stop()
}

test("a service alone with its data is refused without a table that unfinished tasks name", async (t) => {
  const { start } = await createWorld(t)
  await leaveTask(await start({ prices: NEWER }))
  await assert.rejects(start({}), {
    code: "invalid-configuration",
    message: `prices: an unfinished task of vendor-a/v4.1/flash/text-to-image must be charged by table "${VERSION}", which is missing: put it back before the newer tables`,
  })
  const service = await start({ prices: NEWER })
  assert.deepEqual(await service.engine.checkPrices(), [])
})

test("a service alone with its data is refused where a table that unfinished tasks name was edited", async (t) => {
  const { start } = await createWorld(t)
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
  const { start, errors } = await createWorld(t)
  const shared = { database: database.url }
  await leaveTask(await start({ ...shared, prices: NEWER }))
  await start(shared)
  const { model } = SAMPLE_REQUEST
  const advice = "add the table to `prices`, or these tasks are left to other nodes"
  const expected = { kind: "missing", model, priceVersion: VERSION, tasks: 1, advice }
  assert.deepEqual(
    errors().filter((fields) => "priceVersion" in fields),
    [expected],
  )
})
