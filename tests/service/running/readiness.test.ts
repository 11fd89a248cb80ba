/**
 * What /readyz asks of the pieces, on a clock that stands still until a test moves it. It needs no
 * key: however often it is asked, the bucket that it writes to is asked rarely, and once at a time.
 */
import assert from "node:assert/strict"
import { describe, test, type TestContext } from "node:test"
import { createManualClock } from "@safelight/testkit"
import { createService, DEFAULTS } from "safelight"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { untilAnswered } from "../client.ts"
import { parsePrometheusText, readSample } from "../metrics/prometheus-text.ts"
import { startBucket } from "../bucket/scripted-bucket.ts"

/** The first request of a check, which writes. */
const CHECK = /^PUT .*\/\.check\//

/** Ends with the test. */
async function createWorld(t: TestContext) {
  // Its end comes before the bucket's: what a scheduled run asks a bucket that is gone, it asks again by this clock.
  const places = new AsyncDisposableStack()
  t.after(() => places.disposeAsync())
  const bucket = await startBucket(t)
  const folder = places.use(await createTemporaryFolder())
  const clock = createManualClock()
  const place = { data: folder.path, ...bucket.place }
  const configuration = { ...DEFAULTS, ...place, port: 0, metrics: true }
  const service = await createService({ configuration, clock })
  places.defer(async () => {
    bucket.release()
    await service.stop()
  })
  // One at the start, to find what is configured wrongly.
  const atStart = bucket.countChecks()
  const ask = (): Promise<Response> => fetch(`${service.url}/readyz`)
  return {
    bucket,
    clock,
    ask,
    /** Once somebody has been answered. */
    readStatus: async () => (await ask()).status,
    countChecks: () => bucket.countChecks() - atStart,
    /** A scrape asks too, every two seconds. */
    async countDatabaseChecks() {
      const text = await (await fetch(`${service.url}/metrics`)).text()
      const name = "safelight_storage_duration_seconds_count"
      return readSample(parsePrometheusText(text), name, { method: "check" }) ?? 0
    },
  }
}

describe("/readyz", () => {
  test("shares a check that hangs: a no after three seconds, and no other is begun", async (t) => {
    const world = await createWorld(t)
    world.bucket.hold(CHECK)
    const first = world.readStatus()
    await world.bucket.holds()
    await world.clock.advance(2_999)
    const others = Array.from({ length: 10 }, () => world.readStatus())
    await world.clock.advance(1)
    assert.equal(await first, 503)
    for (const status of await Promise.all(others)) assert.equal(status, 503)
    await world.clock.advance(60_000)
    assert.equal(await world.readStatus(), 503)
    assert.equal(world.countChecks(), 1)
  })

  test("believes a check from its end, however late that comes", async (t) => {
    const world = await createWorld(t)
    world.bucket.hold(CHECK)
    const first = world.readStatus()
    await world.bucket.holds()
    await world.clock.advance(20_000)
    assert.equal(await first, 503)
    world.bucket.release()
    await untilAnswered(world.ask, 200)
    await world.clock.advance(29_999)
    assert.equal(await world.readStatus(), 200)
    assert.equal(world.countChecks(), 1)
    await world.clock.advance(1)
    assert.equal(await world.readStatus(), 200)
    assert.equal(world.countChecks(), 2)
  })

  test("looks at the database each second, and writes to the bucket each half a minute", async (t) => {
    const world = await createWorld(t)
    assert.equal(await world.readStatus(), 200)
    const before = await world.countDatabaseChecks()
    for (const [durationMs, checks] of [
      [999, 0],
      [1, 1],
    ] as const) {
      await world.clock.advance(durationMs)
      assert.equal(await world.readStatus(), 200)
      assert.equal((await world.countDatabaseChecks()) - before, checks)
    }
    assert.equal(world.countChecks(), 1)
  })

  test("asks again a second after a no, so that what is back shows", async (t) => {
    const world = await createWorld(t)
    world.bucket.refuse(true)
    assert.equal(await world.readStatus(), 503)
    world.bucket.refuse(false)
    await world.clock.advance(999)
    assert.equal(await world.readStatus(), 503)
    assert.equal(world.countChecks(), 1)
    await world.clock.advance(1)
    assert.equal(await world.readStatus(), 200)
  })
})
