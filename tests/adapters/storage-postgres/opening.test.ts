/**
 * Connections that can't be opened. Whatever the refusal says, nothing was sent over them: it is an
 * outage, and never the fault of what waits to be stored.
 */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { setTimeout } from "node:timers/promises"
import { isSafelightError } from "@safelight/core"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { REOPEN_MS } from "@safelight/store"
import { startRefusingProxy, type RefusingProxy } from "../../support/refusing-proxy.ts"
import { createTestDatabase } from "../../support/test-database.ts"
import { open, toTasks, type Opened } from "./open.ts"
import { FACTS } from "../../support/lease-facts.ts"

/** Connections that look-ups share. */
const READ_CONNECTIONS = 3

/** Poolers say XX000 where they have no connection left; the others are of other classes. */
const STATES = ["XX000", "53300", "57P03", "08P01", "22023", "40001"]

async function openBehind(opened: Opened, proxy: RefusingProxy) {
  const url = new URL(opened.url)
  url.port = String(proxy.port)
  return opened.openBeside({ url: url.href, lanes: 1 })
}

// Mostly they wait, each for a database of its own.
describe("a connection that is refused", { concurrency: true }, () => {
  for (const state of STATES) {
    it(`with ${state} is tried again with pauses until everything is stored`, async () => {
      await using opened = await open()
      await using proxy = await startRefusingProxy({ port: Number(new URL(opened.url).port) })
      const storage = await openBehind(opened, proxy)
      proxy.refuse(state)
      proxy.cut()
      const samples = toTasks(300)
      const stored = Promise.all(samples.map(({ append }) => storage.append(append)))
      await setTimeout(1_500)
      // Pauses double from 20 ms: seven tries and the next few.
      assert.ok(proxy.refusals() <= 12, `${proxy.refusals()} connections`)
      proxy.refuse(null)
      await stored
      assert.deepEqual(await storage.readTask("task-299"), samples[299]?.head)
    })
  }

  it("leaves new tasks refused and undone, and says why", async () => {
    await using opened = await open()
    await using proxy = await startRefusingProxy({ port: Number(new URL(opened.url).port) })
    const storage = await openBehind(opened, proxy)
    proxy.refuse("XX000")
    proxy.cut()
    await assert.rejects(storage.check())
    const [{ append } = assert.fail()] = toTasks(1)
    await assert.rejects(storage.admit({ append }), (error) => {
      assert.ok(isSafelightError(error))
      const { code, isUndone, message, retryable } = error
      assert.deepEqual([code, retryable, isUndone], ["storage-unavailable", true, true])
      assert.match(message, /refused with XX000/)
      return true
    })
    await assert.rejects(storage.heartbeat({ lease: "lease", heartbeats: 1, facts: FACTS }), {
      retryable: true,
    })
    await assert.rejects(storage.scan({ after: "", limit: 1 }), { retryable: true })
  })

  it("is not asked for by every reader of a crowd", async () => {
    await using opened = await open()
    await using proxy = await startRefusingProxy({ port: Number(new URL(opened.url).port) })
    const storage = await openBehind(opened, proxy)
    proxy.refuse("XX000")
    proxy.cut()
    const beganAt = performance.now()
    for (let round = 0; round < 50; round += 1) {
      const reads = Array.from({ length: 20 }, () => storage.listKeys())
      const results = await Promise.allSettled(reads)
      assert.ok(results.every(({ status }) => status === "rejected"))
      await setTimeout(10)
    }
    const most = READ_CONNECTIONS * (1 + (performance.now() - beganAt) / REOPEN_MS)
    assert.ok(proxy.refusals() <= most, `${proxy.refusals()} connections`)
    proxy.refuse(null)
    await setTimeout(REOPEN_MS)
    assert.deepEqual(await storage.listKeys(), [])
  })

  it("while a storage is opened is unavailable, and may be tried again", async () => {
    await using database = await createTestDatabase()
    await using proxy = await startRefusingProxy({ port: Number(new URL(database.url).port) })
    const url = new URL(database.url)
    url.port = String(proxy.port)
    proxy.refuse("XX000")
    await assert.rejects(createPostgresStorage({ url: url.href }), {
      code: "storage-unavailable",
      retryable: true,
    })
  })
})
