/** What fails under a storage: its thread, its disk, its lock; and rows that nobody should touch. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import type { Worker } from "node:worker_threads"
import { isSafelightError, type Storage } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import {
  advanceSample,
  dispatchSample,
  submitSample,
  succeedSample,
  type SampleAppend,
} from "@safelight/testkit"
import { toOperatorChange } from "../../support/operator-change.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { assertUnavailable, assertUnavailableFrom, nextTag, open } from "./open.ts"

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
    await nextTag()
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
      await storage.append(submitSample({ id: "t" }).append)
      await storage.readTotals("account")`
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

  it("refuse to change or delete an operator's change", async () => {
    await using opened = await open({})
    const change = toOperatorChange()
    await opened.storage.addOperatorChange(change)
    const other = opened.connect()
    for (const statement of [
      "update operator_changes set changed_by = 'command'",
      "delete from operator_changes",
    ]) {
      assert.throws(() => other.exec(statement), /operator_changes is append-only/)
    }
    assert.deepEqual((await opened.storage.listOperatorChanges({ limit: 2 })).changes, [change])
  })

  it("show rows of tasks that are gone to a scan, page by page", async () => {
    await using opened = await open({})
    const { storage } = opened
    for (const id of ["a", "b", "c", "d", "e"]) {
      const submitted = submitSample({ id })
      await storage.append(submitted.append)
      const done = advanceSample(submitted.head, [dispatchSample(), succeedSample(2)])
      await storage.append(done.append)
    }
    const other = opened.connect()
    other.exec("drop trigger events_refuse_delete")
    other.exec("delete from tasks where task in ('b', 'd', 'e')")
    other.exec("delete from events where task in ('c', 'd', 'e')")
    other.exec("delete from charges where task = 'a'")
    for (const limit of [1, 2, 9]) {
      assert.deepEqual(await countRows(storage, limit), [
        ["a", 3, true, undefined],
        ["b", 3, false, 2],
        ["c", 0, true, 2],
        ["d", 0, false, 2],
        ["e", 0, false, 2],
      ])
    }
  })

  it("hold nothing of an erased input, or of a link key that is gone", async () => {
    await using folder = await createTemporaryFolder()
    const storage = await createSqliteStorage({ folder: folder.path })
    const input = { task: "t", name: "request", salt: "5a", body: "a prompt to be forgotten" }
    const kept = { ...input, name: "kept", task: "u", body: "a prompt that stays" }
    for (const each of [input, kept]) {
      await storage.append(submitSample({ id: each.task, inputs: [each] }).append)
    }
    const secrets = ["0a", "1b", "2c"].map((byte) => byte.repeat(32))
    for (const [index, secret] of secrets.entries()) {
      await storage.addLinkKey({ id: `key-${index}`, secret, createdAt: 1_000 })
    }
    await storage.eraseInputs("t")
    // Closing folds the log into the file.
    await storage.close()
    const bytes = readFileSync(join(folder.path, "safelight.db"))
    const found = [input.body, kept.body, ...secrets].map((text) => bytes.includes(text))
    assert.deepEqual(found, [false, true, false, true, true])
  })

  it("say so where a snapshot is not JSON, of that task alone", async () => {
    await using opened = await open({})
    const { storage } = opened
    await Promise.all(toSamples(3).map(({ append }) => storage.append(append)))
    opened.connect().exec("update tasks set snapshot = '{' where task = 't1'")
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

function toSamples(count: number): SampleAppend[] {
  return Array.from({ length: count }, (_, index) => submitSample({ id: `t${index}` }))
}

type Counted = readonly [
  id: string,
  events: number,
  hasRow: boolean,
  chargedImages: number | undefined,
]

async function countRows(storage: Storage, limit: number): Promise<Counted[]> {
  const rows: Counted[] = []
  for (let after: string | null = ""; after !== null;) {
    const page = await storage.scan({ after, limit })
    for (const { id, events, row, charge } of page.streams) {
      rows.push([id, events.length, row !== undefined, charge?.images])
    }
    after = page.next
  }
  return rows
}
