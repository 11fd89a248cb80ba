/** The database itself: its schema, its log, who may use it, and what its nodes tell each other. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { isSafelightError } from "@safelight/core"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { SCHEMA_VERSION } from "@safelight/store"
import { createNotifications } from "../../../adapters/storage-postgres/src/notifications.ts"
import { toOperatorChange } from "../../support/operator-change.ts"
import { createTestDatabase } from "../../support/test-database.ts"
import { createFakeConnection, reject } from "../store/fake-connection.ts"
import { open, toTasks, listSessions } from "./open.ts"
import { FACTS } from "../../support/lease-facts.ts"
import { until } from "../../support/until.ts"

describe("the log", () => {
  it("refuses to be changed, by row and as a whole", async () => {
    await using opened = await open()
    await Promise.all(toTasks(3).map(({ append }) => opened.storage.append(append)))
    for (const sql of [
      "update events set data = '{}'",
      "delete from events",
      "truncate events",
      "truncate events cascade",
    ]) {
      await assert.rejects(opened.execute(sql), /events is append-only/, sql)
    }
    assert.equal((await opened.execute("select 1 from events")).length, 3)
  })
})

describe("the record of operators' changes", () => {
  it("refuses to be changed, by row and as a whole", async () => {
    await using opened = await open()
    const change = toOperatorChange()
    await opened.storage.addOperatorChange(change)
    for (const sql of [
      "update operator_changes set changed_by = 'command'",
      "delete from operator_changes",
      "truncate operator_changes",
    ]) {
      await assert.rejects(opened.execute(sql), /operator_changes is append-only/, sql)
    }
    assert.deepEqual((await opened.storage.listOperatorChanges({ limit: 2 })).changes, [change])
  })
})

describe("a task's row", () => {
  it("is updated in place: no index has a column that changes", async () => {
    await using opened = await open()
    const indexed = await opened.execute<{ column: string }>(`
      select distinct attname as column from pg_index
      join pg_attribute on attrelid = indrelid and attnum = any(indkey)
      where indrelid = 'tasks'::regclass`)
    const changing = ["finished_at", "hash", "snapshot", "status", "version"]
    assert.ok(indexed.length > 0)
    assert.deepEqual(
      indexed.map(({ column }) => column).filter((column) => changing.includes(column)),
      [],
    )
  })
})

describe("the schema", () => {
  it("is made once by nodes that start together", async () => {
    await using database = await createTestDatabase()
    const { url } = database
    const storages = await Promise.all(
      Array.from({ length: 5 }, () => createPostgresStorage({ url })),
    )
    const [{ append, head } = assert.fail()] = toTasks(1)
    await storages[0]?.append(append)
    assert.deepEqual(await storages[4]?.readTask("task-0"), head)
    await Promise.all(storages.map((storage) => storage.close()))
  })

  it("of a newer release serves this one beside it, where that release says so", async () => {
    await using opened = await open()
    const samples = toTasks(20)
    const stored = Promise.all(samples.map(({ append }) => opened.storage.append(append)))
    await opened.execute(`
      begin;
      alter table tasks add column something text;
      alter table ready add column something bigint not null default 0;
      create index tasks_something on tasks (something);
      update compatibility set schema_version = ${SCHEMA_VERSION + 1};
      commit`)
    await stored
    const fresh = await opened.openBeside()
    await Promise.all(toTasks(20, "later").map(({ append }) => opened.storage.append(append)))
    assert.deepEqual(await fresh.readTask("task-3"), samples[3]?.head)
    const request = { models: ["model-a"], now: 2_000, limit: 100, lease: "lease" }
    assert.equal((await fresh.take(request)).length, 40)
  })

  it("is refused where only newer code may use it", async () => {
    await using opened = await open()
    const newer = SCHEMA_VERSION + 1
    await opened.execute(
      `update compatibility set schema_version = ${newer}, oldest_code_version = ${newer}`,
    )
    await assert.rejects(opened.openBeside(), (error) => {
      assert.ok(isSafelightError(error))
      assert.equal(error.code, "schema-too-new")
      assert.match(error.message, /Start a newer release/)
      return true
    })
  })
})

describe("an address that is wrong", () => {
  const cases = [
    { what: "password", change: (url: URL) => (url.password = "hunter22") },
    { what: "user", change: (url: URL) => (url.username = "nobody") },
    { what: "database", change: (url: URL) => (url.pathname = "/nowhere") },
  ]
  for (const { what, change } of cases) {
    it(`in its ${what} is refused in one line that holds no password`, async () => {
      await using database = await createTestDatabase()
      const url = new URL(database.url)
      const secret = url.password
      change(url)
      await assert.rejects(createPostgresStorage({ url: url.href }), (error) => {
        assert.ok(isSafelightError(error))
        assert.equal(error.code, "invalid-configuration", error.message)
        assert.doesNotMatch(error.message, /hunter22|\n/)
        assert.ok(!error.message.includes(secret))
        return true
      })
    })
  }

  it("in its form is refused before anything is tried", async () => {
    for (const url of ["", "nonsense", "http://127.0.0.1/x"]) {
      await assert.rejects(createPostgresStorage({ url }), { code: "invalid-configuration" })
    }
  })

  it("in its port is refused as unavailable", async () => {
    await using database = await createTestDatabase()
    const url = new URL(database.url)
    url.port = "1"
    await assert.rejects(createPostgresStorage({ url: url.href }), {
      code: "storage-unavailable",
      retryable: true,
    })
  })
})

describe("a server that was read-only for a while", () => {
  it("is written to again by a storage that was open all the while", async () => {
    await using opened = await open({ lanes: 1 })
    const { storage } = opened
    const admin = await opened.connect()
    const [{ database } = assert.fail()] = await opened.execute<{ database: string }>(
      "select current_database() as database",
    )
    const setting = `alter database ${database}`
    await admin.query(`${setting} set default_transaction_read_only = on`)
    await admin.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'safelight %'`)
    await until(async () => (await listSessions(opened)).length === 0)
    const [{ append, head } = assert.fail()] = toTasks(1)
    const refusal = { code: "storage-unavailable", retryable: true }
    const beat = () => storage.heartbeat({ lease: "lease", heartbeats: 1, facts: FACTS })
    // As many as there are connections for what is no commit, and more.
    for (let count = 0; count < 8; count += 1) await assert.rejects(beat(), refusal)
    await assert.rejects(storage.append(append), refusal)
    assert.equal(await storage.readTask("task-0"), undefined)
    await admin.query(`${setting} reset default_transaction_read_only`)
    for (let count = 0; count < 8; count += 1) await beat()
    await storage.append(append)
    assert.deepEqual(await storage.readTask("task-0"), head)
    const sessions = await listSessions(opened)
    // One that commits, one for claims, one that listens, three for everything else.
    assert.ok(sessions.length <= 6, `${sessions.length} connections`)
  })
})

describe("wake-ups", () => {
  it("tell other nodes of new tasks, and not the one that queued them", async () => {
    await using opened = await open()
    const other = await opened.openBeside()
    let own = 0
    let others = 0
    const stopOwn = opened.storage.onQueued?.(() => (own += 1))
    const stopOther = other.onQueued?.(() => (others += 1))
    await until(() => own > 0 && others > 0)
    const before = own
    const heard = others
    await Promise.all(toTasks(50).map(({ append }) => opened.storage.append(append)))
    await until(() => others > heard)
    assert.equal(own, before)
    assert.ok(others - heard <= 3, "a crowd is told of in few notifications")
    stopOwn?.()
    stopOther?.()
  })

  it("tell other nodes of tasks whose holders are to look, all of them and in few pieces", async () => {
    await using opened = await open()
    const other = await opened.openBeside()
    let ready = false
    const stopQueue = other.onQueued?.(() => (ready = true))
    const own: string[] = []
    const heard: string[] = []
    const stopOwn = opened.storage.onHolderWoken?.((task) => own.push(task))
    const stopOther = other.onHolderWoken?.((task) => heard.push(task))
    await until(() => ready)
    // The longest ids there are, most of it escaped in JSON.
    const tasks = Array.from({ length: 40 }, (_, index) => String(index).padEnd(200, "\n"))
    for (const task of [...tasks, ...tasks]) opened.storage.wakeHolder?.(task)
    await until(() => heard.length >= tasks.length)
    assert.deepEqual(heard, tasks)
    assert.deepEqual(own, [])
    for (const stop of [stopQueue, stopOwn, stopOther]) stop?.()
  })

  it("are heard again after their connection was lost", async () => {
    await using opened = await open()
    const other = await opened.openBeside()
    let heard = 0
    const stop = other.onQueued?.(() => (heard += 1))
    await until(() => heard > 0)
    await opened.execute(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'safelight listening'`)
    const before = heard
    await until(() => heard > before)
    stop?.()
  })

  it("that a server refuses leave no connection behind", async () => {
    const connection = createFakeConnection({ execute: () => reject("read-only") })
    const { listen = assert.fail() } = createNotifications(
      { commit: async () => true },
      async () => ({ ...connection, onEnd() {}, onNotification() {} }) as never,
    )
    await assert.rejects(
      listen(() => undefined),
      { fault: "read-only" },
    )
    assert.equal(connection.isDestroyed(), true)
  })
})
