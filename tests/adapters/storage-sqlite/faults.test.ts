/** What fails under a storage: its thread, its disk, its lock; and rows that nobody should touch. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "node:test"
import type { Worker } from "node:worker_threads"
import { isSafelightError, type Storage } from "@safelight/core"
import { createSqliteStorage, type SqliteStorageOptions } from "@safelight/storage-sqlite"
import {
  advanceSample,
  dispatchSample,
  submitSample,
  succeedSample,
  type SampleAppend,
} from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

describe("the writing thread", () => {
  it("is replaced when it dies, and what it did not answer may be handed in again", async () => {
    await using opened = await open({ busyTimeoutMs: 60_000 })
    const { storage } = opened
    const started = once(process, "worker")
    const first = submitSample({ id: "first" })
    await storage.append(first.append)
    const [worker] = (await started) as [Worker]

    // Held up at its "begin", the thread can't have stored what it dies over.
    const other = opened.connect()
    other.exec("begin immediate")
    const samples = toSamples(10)
    const results = Promise.allSettled(samples.map(({ append }) => storage.append(append)))
    await nextTurn()
    const terminated = worker.terminate()
    other.exec("rollback")
    await terminated
    for (const result of await results) {
      assert.equal(result.status, "rejected")
      assertUnavailable(result.reason, true)
    }
    assert.equal(await storage.readTask("t0"), undefined)

    await Promise.all(samples.map(({ append }) => storage.append(append)))
    for (const { head } of [first, ...samples]) {
      assert.deepEqual(await storage.readTask(head.task.id), head)
    }
  })

  it("keeps no process alive once everything is stored", async () => {
    await using folder = await createTemporaryFolder()
    const program = `
      import { createSqliteStorage } from "@safelight/storage-sqlite"
      import { submitSample } from "@safelight/testkit"
      const storage = await createSqliteStorage({ folder: ${JSON.stringify(folder.path)} })
      await storage.append(submitSample({ id: "t" }).append)`
    const flags = ["--conditions=@safelight/source", "--input-type=module", "--eval", program]
    const child = spawn(process.execPath, flags, { cwd: import.meta.dirname, stdio: "inherit" })
    assert.deepEqual(await once(child, "exit"), [0, null])
    const storage = await createSqliteStorage({ folder: folder.path })
    assert.equal((await storage.readTask("t"))?.task.version, 1)
    await storage.close()
  })
})

describe("a full disk", () => {
  it("rejects what finds no room, stores the rest, and takes it once there is room", async () => {
    await using opened = await open({ maxFileBytes: 500_000 })
    const inputs = [{ task: "big", name: "request", salt: "00", body: "x".repeat(600_000) }]
    const big = submitSample({ id: "big", inputs })
    await assertUnavailableFrom(opened.storage.append(big.append), true)
    assert.equal(await opened.storage.readTask("big"), undefined)
    assert.deepEqual(await opened.storage.readEvents("big"), [])

    const small = toSamples(20)
    await Promise.all(small.map(({ append }) => opened.storage.append(append)))
    for (const { head } of small) {
      assert.deepEqual(await opened.storage.readTask(head.task.id), head)
    }
    await assertUnavailableFrom(opened.storage.append(big.append), true)

    const roomy = await opened.reopen({})
    await roomy.append(big.append)
    assert.deepEqual(await roomy.readTask("big"), big.head)
    assert.equal((await roomy.readInput({ task: "big", name: "request" }))?.body.length, 600_000)
  })
})

describe("a database that another process holds", () => {
  it("rejects writes after the busy time-out, reads on, and recovers", async () => {
    await using opened = await open({ busyTimeoutMs: 1 })
    const { storage } = opened
    const sample = submitSample({ id: "t" })
    const other = opened.connect()
    other.exec("begin immediate")
    await assertUnavailableFrom(storage.append(sample.append), true)
    await assertUnavailableFrom(storage.check(), true)
    assert.equal(await storage.readTask("t"), undefined)
    other.exec("rollback")
    await storage.append(sample.append)
    await storage.check()
  })
})

describe("the tables themselves", () => {
  it("refuse to change or delete an event", async () => {
    await using opened = await open({})
    await opened.storage.append(submitSample({ id: "t" }).append)
    const other = opened.connect()
    for (const statement of [
      "update events set data = '{}'",
      "update events set version = 2 where task = 't'",
      "delete from events",
    ]) {
      assert.throws(() => other.exec(statement), /events is append-only/)
    }
    assert.equal((await opened.storage.readEvents("t")).length, 1)
  })

  it("show rows of tasks that are gone to a scan, page by page", async () => {
    await using opened = await open({})
    const { storage } = opened
    for (const id of ["a", "b", "c", "d"]) {
      const submitted = submitSample({ id })
      await storage.append(submitted.append)
      const done = advanceSample(submitted.head, [dispatchSample(), succeedSample(2)])
      await storage.append(done.append)
    }
    const other = opened.connect()
    other.exec("drop trigger events_refuse_delete")
    other.exec("delete from tasks where id in ('b', 'd')")
    other.exec("delete from events where task in ('c', 'd')")
    for (const limit of [1, 2, 9]) {
      assert.deepEqual(await countRows(storage, limit), [
        ["a", 3, true, 2],
        ["b", 3, false, 2],
        ["c", 0, true, 2],
        ["d", 0, false, 2],
      ])
    }
  })

  it("say so where a snapshot is not JSON, of that task alone", async () => {
    await using opened = await open({})
    const { storage } = opened
    await Promise.all(toSamples(3).map(({ append }) => storage.append(append)))
    opened.connect().exec("update tasks set snapshot = '{' where id = 't1'")
    const reads = await Promise.allSettled(["t0", "t1", "t2"].map((id) => storage.readTask(id)))
    assert.deepEqual(
      reads.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    )
    const [, damaged] = reads
    assert.ok(damaged?.status === "rejected" && isSafelightError(damaged.reason))
    assert.equal(damaged.reason.code, "storage-corrupt")
  })
})

interface Opened extends AsyncDisposable {
  readonly storage: Storage
  /** Another connection to the database, as another process would have. */
  connect(): DatabaseSync
  reopen(options: Partial<SqliteStorageOptions>): Promise<Storage>
}

async function open(options: Partial<SqliteStorageOptions>): Promise<Opened> {
  const folder = await createTemporaryFolder()
  let current = await createSqliteStorage({ folder: folder.path, ...options })
  const connections: DatabaseSync[] = []
  return {
    storage: current,
    connect() {
      const connection = new DatabaseSync(join(folder.path, "safelight.db"))
      connections.push(connection)
      return connection
    },
    async reopen(changed) {
      await current.close()
      current = await createSqliteStorage({ folder: folder.path, ...changed })
      return current
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections) connection.close()
      await current.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

function toSamples(count: number): SampleAppend[] {
  return Array.from({ length: count }, (_, index) => submitSample({ id: `t${index}` }))
}

function assertUnavailable(error: unknown, retryable: boolean): void {
  assert.ok(isSafelightError(error), String(error))
  assert.deepEqual([error.code, error.retryable], ["storage-unavailable", retryable])
}

function assertUnavailableFrom(promise: Promise<unknown>, retryable: boolean): Promise<void> {
  return assert.rejects(promise, (error) => {
    assertUnavailable(error, retryable)
    return true
  })
}

async function countRows(
  storage: Storage,
  limit: number,
): Promise<(readonly [string, number, boolean, number])[]> {
  const rows: (readonly [string, number, boolean, number])[] = []
  for (let after: string | null = ""; after !== null;) {
    const page = await storage.scan({ after, limit })
    for (const { id, events, row, artifacts } of page.streams) {
      rows.push([id, events.length, row !== undefined, artifacts.length])
    }
    after = page.next
  }
  return rows
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
