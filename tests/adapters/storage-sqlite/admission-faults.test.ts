/** Admissions whose storage fails under them: handed in again, each is there once, and wholly. */
import assert from "node:assert/strict"
import { once } from "node:events"
import type { DatabaseSync } from "node:sqlite"
import { describe, it } from "node:test"
import type { Worker } from "node:worker_threads"
import { isSafelightError, type AdmitRequest, type Storage } from "@safelight/core"
import { submitSample } from "@safelight/testkit"
import { assertUnavailableFrom, nextTag, open } from "./open.ts"

const QUEUE = {
  kind: "enqueue",
  dueAt: 1_000,
  endBy: 100_000,
  lease: null,
  startTag: null,
} as const
const ADMITTED = { kind: "admitted" }

describe("an admission whose answer is lost", () => {
  it("is admitted when it is handed in again, though its key and its bounds are used", async () => {
    await using opened = await open({})
    const { storage } = opened
    const worker = await bound(storage, 3)
    // The thread commits, and nobody hears of it.
    worker.removeAllListeners("message")
    const requests = toRequests(3)
    const results = Promise.allSettled(requests.map((request) => storage.admit(request)))
    await untilStored(opened.connect(), 3)
    await worker.terminate()
    for (const result of await results) {
      assert.equal(result.status, "rejected")
      // Nothing that may be stored is told as a refusal.
      assert.ok(isSafelightError(result.reason))
      assert.equal(result.reason.code, "outcome-unknown")
    }

    const again = await Promise.all(requests.map((request) => storage.admit(request)))
    assert.deepEqual(again, [ADMITTED, ADMITTED, ADMITTED])
    await assertAdmitted(storage, opened.connect(), 3)
    const [another] = toRequests(1, "another")
    assert.ok(another)
    assert.deepEqual(await storage.admit(another), { kind: "known", task: "t0", fingerprint: "ab" })
    const { append } = another
    assert.deepEqual(await storage.admit({ append }), {
      kind: "refused",
      limit: "unfinished-tasks",
    })
  })

  it("is admitted when it is handed in again, though nothing had been stored", async () => {
    await using opened = await open({ busyTimeoutMs: 60_000 })
    const { storage } = opened
    const worker = await bound(storage, 3)
    const other = opened.connect()
    other.exec("begin immediate")
    const requests = toRequests(5)
    const results = Promise.allSettled(requests.map((request) => storage.admit(request)))
    await nextTag()
    const terminated = worker.terminate()
    other.exec("rollback")
    await terminated
    for (const { status } of await results) assert.equal(status, "rejected")
    await assertAdmitted(storage, other, 0)

    const again = await Promise.all(requests.map((request) => storage.admit(request)))
    assert.equal(again.filter(({ kind }) => kind === "admitted").length, 3)
    await assertAdmitted(storage, other, 3)
  })
})

describe("an admission that finds no room on the disk", () => {
  it("leaves neither task nor key nor total, and is admitted once there is room", async () => {
    await using opened = await open({ maxFileBytes: 500_000 })
    await bound(opened.storage, 1)
    const [request] = toRequests(1)
    assert.ok(request)
    const inputs = [{ task: "t0", name: "request", salt: "00", body: "x".repeat(600_000) }]
    const big = { ...request, append: { ...request.append, inputs } }
    await assertUnavailableFrom(opened.storage.admit(big), true)
    await assertAdmitted(opened.storage, opened.connect(), 0)
    const roomy = await opened.reopen({})
    assert.deepEqual(await roomy.admit(big), ADMITTED)
    await assertAdmitted(roomy, opened.connect(), 1)
  })
})

/** Bounds the account of samples; the result is the thread that did it. */
async function bound(storage: Storage, unfinishedTasks: number): Promise<Worker> {
  const started = once(process, "worker")
  await storage.setAccount({ id: "account", now: 500, settings: { unfinishedTasks } })
  const [worker] = (await started) as [Worker]
  return worker
}

function toRequests(count: number, prefix = "t"): AdmitRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    append: submitSample({ id: `${prefix}${index}`, queue: QUEUE }).append,
    idempotency: { key: `key-${index}`, fingerprint: "ab", usedAt: 1_000 },
  }))
}

async function untilStored(database: DatabaseSync, count: number): Promise<void> {
  while (countRows(database, "tasks") < count) await nextTag()
}

/** Asserts that so many tasks are stored, each with its key, and that the totals say so. */
async function assertAdmitted(
  storage: Storage,
  database: DatabaseSync,
  count: number,
): Promise<void> {
  for (const table of ["tasks", "events", "ready", "idempotency"]) {
    assert.equal(countRows(database, table), count, table)
  }
  const totals = { chargedMicros: 0, reservedMicros: count * 30_000, unfinishedTasks: count }
  assert.deepEqual(await storage.scanTotals(), [
    { account: "account", kept: totals, counted: totals },
  ])
}

function countRows(database: DatabaseSync, table: string): number {
  return Number(database.prepare(`select count(*) as count from ${table}`).get()?.["count"])
}
