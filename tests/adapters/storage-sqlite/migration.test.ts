/**
 * Databases that older code made, opened by this code. `schema-2.sql` and `schema-3.sql` are such,
 * written by that code; a schema 1 is the former without its last index.
 */
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "node:test"
import {
  fromSnapshot,
  NO_LIMITS,
  toArtifactRows,
  openEvent,
  toChargeRow,
  toOutcomeRows,
  toTaskRow,
  type ScannedStream,
  type Storage,
} from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { SCHEMA_VERSION } from "@safelight/store"
import { advanceSample, dispatchSample, submitSample } from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

const SCHEMA_2 = readFileSync(join(import.meta.dirname, "schema-2.sql"), "utf8")
const SCHEMA_3 = readFileSync(join(import.meta.dirname, "schema-3.sql"), "utf8")
/** More than a page of the migration, in ids behind and before the others. */
const CLONES = 1_200

/** Schema 9 closed the database to older code. */
const NEWEST = { id: 1, schema_version: SCHEMA_VERSION, oldest_code_version: 9 }

/** What the tasks of account `account` come to: 30,000, 0 and 40,000 are reserved. */
const TOTALS = { chargedMicros: 215_900, reservedMicros: 70_000, unfinishedTasks: 3 }

const PLACE = { end_by: 100_000, claim: null, turn: null }

describe("a database of schema 2", () => {
  it("has every row that core derives from its tasks, and no other", async () => {
    await using folder = await createTemporaryFolder()
    write(folder.path, SCHEMA_2)
    const storage = await createSqliteStorage({ folder: folder.path })
    const streams = await scanAll(storage)
    assert.equal(streams.length, 9)
    for (const stream of streams) assertDerived(stream)
    const charges = streams.flatMap(({ charge }) => charge ?? [])
    assert.deepEqual(
      charges.map(({ task, chargeMicros, at }) => [task, chargeMicros, at]),
      [
        ["billed", 500, 3_200],
        ["expired", 30_000, 2_500],
        ["images", 60_000, 2_000],
        ["video", 125_400, 3_000],
      ],
    )
    await storage.close()
  })

  it("has accounts without limits, and totals as soon as there is one", async () => {
    await using folder = await createTemporaryFolder()
    write(folder.path, SCHEMA_2)
    const storage = await createSqliteStorage({ folder: folder.path })
    const account = { ...NO_LIMITS, id: "account", createdAt: 900 }
    assert.deepEqual(await storage.listAccounts(), [account])
    assert.deepEqual(await storage.scanTotals(), [])
    assert.deepEqual(await storage.readTotals("account"), TOTALS)
    await storage.setAccount({ id: "account", now: 5_000, settings: { budgetMicros: 285_901 } })
    assert.deepEqual(await storage.scanTotals(), [
      { account: "account", kept: TOTALS, counted: TOTALS },
    ])
    assert.deepEqual(await admit(storage, "over", 2), { kind: "refused", limit: "budget" })
    assert.deepEqual(await admit(storage, "within", 1), { kind: "admitted" })
    await storage.close()
  })

  it("is left to an older release that serves it, and brought along once that is gone", async () => {
    await using folder = await createTemporaryFolder()
    write(folder.path, SCHEMA_2)
    const lock = new DatabaseSync(join(folder.path, "serve.lock"))
    lock.exec("begin exclusive")
    const open = () => createSqliteStorage({ folder: folder.path, mode: "beside" })
    await assert.rejects(open(), { code: "already-served", message: /restart the service/ })
    const database = new DatabaseSync(join(folder.path, "safelight.db"), { readOnly: true })
    assert.deepEqual(
      { ...database.prepare("select schema_version from compatibility").get() },
      {
        schema_version: 2,
      },
    )
    database.close()
    lock.close()
    const storage = await open()
    assert.deepEqual(await storage.readTotals("account"), TOTALS)
    await storage.close()
  })

  it("is brought along page by page", async () => {
    await using folder = await createTemporaryFolder()
    write(folder.path, SCHEMA_2 + toClones("a-clone-", "queued") + toClones("z-clone-", "images"))
    const storage = await createSqliteStorage({ folder: folder.path })
    const streams = await scanAll(storage)
    assert.equal(streams.length, 9 + 2 * CLONES)
    for (const stream of streams) assertDerived(stream)
    assert.deepEqual(await storage.readTotals("account"), {
      chargedMicros: TOTALS.chargedMicros + 60_000 * CLONES,
      reservedMicros: TOTALS.reservedMicros + 30_000 * CLONES,
      unfinishedTasks: TOTALS.unfinishedTasks + CLONES,
    })
    await storage.close()
  })

  it("opens with a damaged snapshot, which gives nothing; the others are brought along", async () => {
    await using folder = await createTemporaryFolder()
    write(folder.path, `${SCHEMA_2} update tasks set snapshot = '{' where id = 'images';`)
    const storage = await createSqliteStorage({ folder: folder.path })
    for (const stream of await scanAll(storage)) {
      if (stream.id === "images") assert.equal(stream.charge, undefined)
      else assertDerived(stream)
    }
    await storage.close()
  })

  it("is closed to older code from then on", async () => {
    await using folder = await createTemporaryFolder()
    write(folder.path, SCHEMA_2)
    await (await createSqliteStorage({ folder: folder.path })).close()
    const [compatibility] = read(folder.path, "select * from compatibility")
    assert.deepEqual(compatibility, NEWEST)
  })

  it("stays as it is where its migration fails half-way", async () => {
    await using folder = await createTemporaryFolder()
    // A table in the way of the last one that the migration makes.
    write(folder.path, `${SCHEMA_2} create table link_epochs (task text);`)
    await assert.rejects(createSqliteStorage({ folder: folder.path }))
    const tables = read(folder.path, "select name from sqlite_master where name = 'charges'")
    assert.deepEqual(tables, [])
    const [compatibility] = read(folder.path, "select * from compatibility")
    assert.deepEqual(compatibility, { id: 1, schema_version: 2, oldest_code_version: 1 })
    write(folder.path, "drop table link_epochs")
    const storage = await createSqliteStorage({ folder: folder.path })
    assert.deepEqual(await storage.readTotals("account"), TOTALS)
    await storage.close()
  })
})

describe("a database of schema 3", () => {
  it("keeps the places of its tasks, claimed or not, each with its account", async () => {
    await using folder = await createTemporaryFolder()
    write(folder.path, SCHEMA_3)
    const beside = await createSqliteStorage({ folder: folder.path, mode: "beside" })
    assert.deepEqual(await beside.listClaims(), [{ claim: "node-1", beats: 0 }])
    assert.deepEqual(await beside.renew({ claim: "node-1", tasks: ["held", "free"] }), ["held"])
    assert.deepEqual(await beside.measureQueue(), [
      { model: "model-a", waiting: 1, claimed: 1, oldestAt: 1_000 },
      { model: "model-b", waiting: 1, claimed: 0, oldestAt: 2_000 },
    ])
    await beside.close()
    assert.deepEqual(read(folder.path, "select * from compatibility"), [NEWEST])
    assert.deepEqual(
      read(folder.path, "select task, account, due_at, end_by, claim, turn from ready"),
      [
        { ...PLACE, task: "free", account: "account", due_at: 1_000 },
        { ...PLACE, task: "held", account: "account", due_at: 1_500, claim: "node-1" },
        { ...PLACE, task: "later", account: "other", due_at: 2_000 },
      ],
    )
  })

  it("is served on: steps go on at their moments, starts take their turns behind them", async () => {
    await using folder = await createTemporaryFolder()
    write(folder.path, SCHEMA_3)
    const storage = await createSqliteStorage({ folder: folder.path })
    const queue = { kind: "enqueue", dueAt: 1_000, endBy: 9_000, claim: null, turn: 1 } as const
    await storage.append(submitSample({ id: "new", queue }).append)
    const models = ["model-a", "model-b"]
    assert.deepEqual(await storage.peekQueue({ models, now: 2_000, most: 9 }), {
      dueAt: 1_000,
      turn: 1,
      claimable: 4,
    })
    const claimed = await storage.claim({ claim: "next", models, now: 2_000, limit: 9 })
    const places = claimed.map(({ task, turn }) => `${task.id} ${turn}`)
    assert.deepEqual(places.toSorted(), ["free null", "held null", "later null", "new 1"])
    assert.equal(claimed.at(-1)?.task.id, "new")
    const database = new DatabaseSync(join(folder.path, "safelight.db"), { readOnly: true })
    const owned = database.prepare("select task || ' ' || account as text from ready").all()
    database.close()
    assert.deepEqual(
      owned.map(({ text }) => String(text)).toSorted(),
      claimed.map(({ task }) => `${task.id} ${task.account}`).toSorted(),
    )
    await storage.close()
  })

  it("has accounts as they were, with a weight of 1 and nothing bounding what runs", async () => {
    await using folder = await createTemporaryFolder()
    write(folder.path, SCHEMA_3)
    const storage = await createSqliteStorage({ folder: folder.path })
    const set = { budgetMicros: 1_000_000, unfinishedTasks: 9 }
    const account = { ...NO_LIMITS, ...set, id: "account", createdAt: 900 }
    assert.deepEqual(await storage.listAccounts(), [account])
    const totals = { chargedMicros: 30_000, reservedMicros: 60_000, unfinishedTasks: 2 }
    assert.deepEqual(await storage.scanTotals(), [
      { account: "account", kept: totals, counted: totals },
    ])
    for (const stream of await scanAll(storage)) assertDerived(stream)
    await storage.close()
  })

  it("opens with a place whose task is gone", async () => {
    await using folder = await createTemporaryFolder()
    write(folder.path, `${SCHEMA_3} delete from tasks where id = 'free';`)
    const storage = await createSqliteStorage({ folder: folder.path })
    const request = { claim: "next", models: ["model-a"], now: 2_000, limit: 9 }
    const claimed = await storage.claim(request)
    assert.deepEqual(
      claimed.map(({ task }) => task.id),
      ["held"],
    )
    await storage.close()
  })
})

describe("a database of schema 5", () => {
  it("is brought along once no older release serves it, and recorded as new", async () => {
    await using folder = await createTemporaryFolder()
    const serving = await createSqliteStorage({ folder: folder.path })
    await admit(serving, "before", 1)
    const undone = `
      drop table deployment;
      drop table deployment_secrets;
      drop table paused_channels;
      drop table outcomes;
      delete from migrations where name in
        ('0006-deployment', '0007-channels', '0008-secret', '0009-outcomes');
      update compatibility set schema_version = 5;`
    write(folder.path, undone)
    const mode = "beside"
    await assert.rejects(createSqliteStorage({ folder: folder.path, mode }), {
      code: "already-served",
    })
    await serving.close()
    const beside = await createSqliteStorage({ folder: folder.path, mode })
    assert.deepEqual(read(folder.path, "select * from compatibility"), [NEWEST])
    assert.equal((await beside.readDeployment()).standing, "new")
    assert.deepEqual(await beside.listPausedChannels(), [])
    assert.equal(await beside.agreeOnSecret("a1".repeat(32)), "a1".repeat(32))
    await admit(beside, "after", 1)
    assert.equal((await scanAll(beside)).length, 2)
    await beside.close()
  })
})

describe("a database of schema 8", () => {
  it("has no outcome of a task that ended while it waited to be tried again", async () => {
    await using folder = await createTemporaryFolder()
    const serving = await createSqliteStorage({ folder: folder.path })
    const { append, head } = submitSample({ id: "t1" })
    await serving.admit({ append })
    const deferred = { kind: "defer", attempt: 1, reason: "away", retryAt: 1_000 } as const
    const failed = { kind: "fail", attempt: 1, code: "task_cancelled" } as const
    const commands = [dispatchSample(1), deferred, failed]
    await serving.append(advanceSample(head, commands).append)
    await serving.close()
    const undone = `
      drop table outcomes;
      delete from migrations where name = '0009-outcomes';
      update compatibility set schema_version = 8;`
    write(folder.path, undone)
    const storage = await createSqliteStorage({ folder: folder.path })
    const [stream, ...others] = await scanAll(storage)
    assert.ok(stream !== undefined && others.length === 0)
    assertDerived(stream)
    assert.deepEqual(stream.outcomes, [])
    await storage.close()
  })
})

describe("a database of schema 1", () => {
  it("is brought to the newest schema with its tasks", async () => {
    await using folder = await createTemporaryFolder()
    const undone = `
      drop index tasks_listed;
      delete from migrations where name = '0002-task-list';
      update compatibility set schema_version = 1;`
    write(folder.path, SCHEMA_2 + undone)
    const storage = await createSqliteStorage({ folder: folder.path })
    const { tasks } = await storage.listTasks({ account: "account", limit: 99 })
    assert.equal(tasks.length, 8)
    assert.deepEqual(await storage.readTotals("account"), TOTALS)
    await storage.close()
    const index = read(folder.path, "select name from pragma_index_info('tasks_listed')")
    assert.deepEqual(
      index.map(({ name }) => name),
      ["account", "created_at", "id"],
    )
  })
})

function assertDerived({ row, artifacts, charge, events, outcomes }: ScannedStream): void {
  assert.ok(row)
  const task = fromSnapshot(row.snapshot)
  assert.deepEqual(row, toTaskRow(task, row.hash))
  assert.deepEqual(artifacts, toArtifactRows(task))
  assert.deepEqual(charge, toChargeRow(task))
  // Clones have no log.
  if (events.length === 0) assert.equal(outcomes.length, Number(task.finishedAt > 0))
  else assert.deepEqual(outcomes, toOutcomeRows(task, events.map(openEvent)))
}

async function scanAll(storage: Storage): Promise<readonly ScannedStream[]> {
  return (await storage.scan({ after: "", limit: 10_000 })).streams
}

function admit(storage: Storage, id: string, reservationMicros: number) {
  return storage.admit({ append: submitSample({ id, submitted: { reservationMicros } }).append })
}

/** SQL that adds tasks like `original`, with what stands in the queue or among the artifacts. */
function toClones(prefix: string, original: string): string {
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${CLONES})`
  const id = `'${prefix}' || i`
  return `
    insert into tasks ${numbers}
      select ${id}, version, account, model, status, created_at, finished_at, hash,
        json_set(snapshot, '$.id', ${id}) from n cross join tasks where id = '${original}';
    insert into ready ${numbers}
      select ${id}, model, due_at, end_by, claim, claimed_until
        from n cross join ready where task = '${original}';
    insert into artifacts ${numbers}
      select ${id}, position, key, type, mime_type, bytes, sha256, duration_ms, place, expires_at
        from n cross join artifacts where task = '${original}';`
}

function write(folder: string, statements: string): void {
  const database = new DatabaseSync(join(folder, "safelight.db"))
  database.exec(statements)
  database.close()
}

function read(folder: string, query: string): Record<string, unknown>[] {
  const database = new DatabaseSync(join(folder, "safelight.db"))
  const rows = database.prepare(query).all()
  database.close()
  return rows.map((row) => ({ ...row }))
}
