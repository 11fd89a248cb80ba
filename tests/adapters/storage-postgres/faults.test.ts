/** What one change, one connection or one lock must not do to others. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Append } from "@safelight/core"
import type { LogChange } from "@safelight/store"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { advanceSample, dispatchSample, submitSample, type SampleAppend } from "@safelight/testkit"
import { toBatchRows } from "../../../adapters/storage-postgres/src/batch-rows.ts"
import { toBatchStatement } from "../../../adapters/storage-postgres/src/batch-statement.ts"
import { createTestDatabase, execute } from "../../support/test-database.ts"
import { open, toTasks, type Opened } from "./open.ts"
import { until } from "../../support/until.ts"

/** A moment that is no integer: nothing of it can be sent. */
function spoil(append: Append): Append {
  return { ...append, queue: { kind: "reschedule", dueAt: 1_000.5, lease: null } }
}

function toChange({ append }: SampleAppend, isAsked: boolean): LogChange {
  return { append, isAsked, use: undefined }
}

describe("a change that makes no statement", () => {
  it("rejects alone and at once", async () => {
    await using opened = await open()
    const samples = toTasks(20)
    const results = await Promise.allSettled(
      samples.map(({ append }, index) =>
        opened.storage.append(index === 7 ? spoil(append) : append),
      ),
    )
    const rejected = results.flatMap(({ status }, index) => (status === "rejected" ? [index] : []))
    assert.deepEqual(rejected, [7])
  })
})

describe("a row of a batch", () => {
  const row = { task: "task-0", name: "request", salt: "salt", body: "{}" }
  const { body: _, ...short } = row

  it("is refused where a column has no member: by its type, and before anything is sent", () => {
    // @ts-expect-error -- the body is missing
    assert.throws(() => toBatchStatement({ inputs: [short] }), /no value for body/)
  })

  it("is no row where no column takes one of its members", () => {
    // @ts-expect-error -- no such column
    const { values } = toBatchStatement({ inputs: [{ ...row, mimeType: "text/plain" }] })
    // Were it handed in all the same: an array for each column, and the count of what moved.
    assert.equal(values.length, Object.keys(row).length + 1)
  })
})

describe("a row that somebody else holds", () => {
  it("rejects its own change, retryably, and no other of the batch", async () => {
    await using opened = await open({ lanes: 1 })
    const [held, ...others] = toTasks(12)
    assert.ok(held)
    await opened.storage.append(held.append)
    const other = await opened.connect()
    await other.query("begin; select 1 from tasks where task = 'task-0' for update")
    const moved = advanceSample(held.head, [dispatchSample()])
    const refused = assert.rejects(opened.storage.append(moved.append), {
      code: "storage-unavailable",
      retryable: true,
    })
    await Promise.all(others.map(({ append }) => opened.storage.append(append)))
    await refused
    await other.query("commit")
    await opened.storage.append(moved.append)
    assert.deepEqual(await opened.storage.readTask("task-0"), moved.head)
  })
})

describe("an account at its limit", () => {
  it("has room where a task ends in the same batch, by the batch's one statement", async () => {
    await using opened = await open({ lanes: 1 })
    const { storage } = opened
    await storage.setAccount({ id: "account", now: 1, settings: { unfinishedTasks: 1 } })
    const [first, second] = toTasks(2)
    assert.ok(first && second)
    await storage.admit({ append: first.append })
    const fail = { kind: "fail", attempt: 0, code: "task_cancelled" } as const
    const ended = advanceSample(first.head, [fail], { queue: { kind: "finish", retainAt: null } })
    const rows = toBatchRows([toChange(ended, false), toChange(second, true)], true)
    const [totals] = rows.totals ?? []
    assert.equal(totals?.highestTasks, 0)
    assert.equal(totals.highestMicros, 0)
    const [, admission] = await Promise.all([
      storage.append(ended.append),
      storage.admit({ append: second.append }),
    ])
    assert.deepEqual(admission, { kind: "admitted" })
  })
})

describe("a node beside a newer release", () => {
  it("goes on reading tables that gained a column", async () => {
    await using opened = await open()
    const { storage } = opened
    await storage.setAccount({ id: "ada", now: 1, settings: {} })
    const [{ append } = assert.fail()] = toTasks(1)
    await storage.append(append)
    const read = () =>
      Promise.all([
        ...Array.from({ length: 12 }, () => storage.listAccounts()),
        ...Array.from({ length: 12 }, () => storage.readEvents("task-0")),
        storage.scan({ after: "", limit: 10 }),
        storage.listKeys(),
      ])
    await read()
    await opened.execute(`
      alter table accounts add column something text;
      alter table events add column something text;
      alter table keys add column something text`)
    await read()
    assert.equal((await storage.scan({ after: "", limit: 10 })).streams.length, 1)
  })
})

describe("a migration that fails half way", () => {
  it("leaves the database as it was", async () => {
    await using database = await createTestDatabase()
    // The last of its steps finds a name taken.
    await execute(database.url, "create table transfers (something text)")
    await assert.rejects(createPostgresStorage({ url: database.url }))
    const tables = await execute<{ name: string }>(
      database.url,
      "select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
    )
    assert.deepEqual(
      tables.map(({ name }) => name),
      ["transfers"],
    )
  })
})

async function countConnections(opened: Opened): Promise<number> {
  const connections = await opened.execute(`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name like 'safelight %'`)
  return connections.length
}

describe("a storage that is closed", () => {
  it("leaves no connection behind, whatever was under way", async () => {
    await using opened = await open()
    const before = await countConnections(opened)
    const storage = await createPostgresStorage({ url: opened.url })
    const stop = storage.onQueued?.(() => undefined)
    const calls = [
      storage.scan({ after: "", limit: 1 }),
      storage.eraseInputs("task-0"),
      storage.expire({ lease: "lease", heartbeats: 0 }),
      storage.append(submitSample({ id: "last" }).append),
    ]
    await Promise.all([storage.close(), Promise.allSettled(calls)])
    stop?.()
    await until(async () => (await countConnections(opened)) === before)
  })

  it("opens few connections for a crowd of transactions", async () => {
    await using opened = await open()
    const calls = Array.from({ length: 60 }, (_, index) =>
      opened.storage.expire({ lease: `lease-${index}`, heartbeats: 0 }),
    )
    assert.deepEqual(new Set(await Promise.all(calls)), new Set([true]))
    const count = await countConnections(opened)
    assert.ok(count <= 8, `${count} connections`)
  })
})
