/** What is asked of the server itself. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createServerLane, createWriter } from "@safelight/store"
import type { PostgresConnection } from "../../../adapters/storage-postgres/src/connection.ts"
import { writeNothing } from "../../../adapters/storage-postgres/src/write-nothing.ts"
import { createTestRole } from "../../service/postgres/postgres-role.ts"
import { createTestDatabase, execute } from "../../support/test-database.ts"
import { createFakeConnection, databaseError } from "../store/fake-connection.ts"
import { open, toTasks, listSessions } from "./open.ts"
import { FACTS } from "../../support/lease-facts.ts"
import { until } from "../../support/until.ts"

describe("the server's clock", () => {
  it("is read in whole milliseconds, whatever this process's own clock says", async (t) => {
    await using opened = await open()
    const readServer = async () => {
      const [row] = await opened.execute<{ now: string }>(
        "select extract(epoch from clock_timestamp()) * 1000 as now",
      )
      return Number(row?.now)
    }
    const ahead = Date.now() + 3_600_000
    t.mock.method(Date, "now", () => ahead)
    const before = await readServer()
    const read = await opened.storage.readClock?.()
    const after = await readServer()
    assert.ok(read !== undefined && Number.isInteger(read))
    assert.ok(Math.floor(before) <= read && read <= after, `${before} ${read} ${after}`)
  })

  it("goes on within a storage that is read again", async () => {
    await using opened = await open()
    const first = (await opened.storage.readClock?.()) ?? assert.fail()
    for (let read = first; read <= first;) read = (await opened.storage.readClock?.()) ?? 0
  })
})

describe("a check", () => {
  it("passes where tasks can be stored, and leaves nothing behind", async () => {
    await using opened = await open()
    await opened.storage.check()
    assert.deepEqual(await opened.execute("select 1 from inputs"), [])
  })

  it("fails where the server is read-only, and passes once it is not", async () => {
    await using opened = await open()
    const [{ database } = assert.fail()] = await opened.execute<{ database: string }>(
      "select current_database() as database",
    )
    const admin = await opened.connect()
    await admin.query(`alter database ${database} set default_transaction_read_only = on`)
    await admin.query(`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'safelight %'`)
    const refused = { code: "storage-unavailable", retryable: true }
    await until(async () => (await listSessions(opened)).length === 0)
    await assert.rejects(opened.storage.check(), refused)
    // Reading goes on.
    assert.deepEqual(await opened.storage.listKeys(), [])
    await admin.query(`alter database ${database} reset default_transaction_read_only`)
    await opened.storage.check()
  })

  it("fails where there is no room, and asks for more than free pages hold from then on", async () => {
    let isFull = true
    const written: string[] = []
    const connection = createFakeConnection({
      async execute(sql) {
        written.push(sql)
        if (isFull && sql.startsWith("begin")) throw databaseError("refused")
      },
    }) as unknown as PostgresConnection
    const lane = createServerLane({
      open: async () => connection,
      commit: async () => [],
      prove: writeNothing,
    })
    const writer = createWriter({ lanes: [lane] })
    await assert.rejects(writer.prove(), { code: "storage-unavailable" })
    isFull = false
    await writer.prove()
    await writer.prove()
    const lengths = written.flatMap((sql) => (sql.startsWith("begin") ? sql.length : []))
    assert.deepEqual(
      lengths.map((length) => length > 262_144),
      [false, true, false],
    )
    assert.ok(connection.isOpen())
  })

  it("is answered by the commit that is under way", async () => {
    await using opened = await open({ lanes: 1 })
    const samples = toTasks(2)
    const other = await opened.connect()
    await other.query("begin; lock table events in access exclusive mode")
    const stored = opened.storage.append(samples[0]?.append ?? assert.fail())
    await until(async () => {
      const waiting = await opened.execute(`
        select 1 from pg_stat_activity
        where datname = current_database() and application_name = 'safelight committing'
          and wait_event_type = 'Lock'`)
      return waiting.length === 1
    })
    let isChecked = false
    const checked = opened.storage.check().then(() => (isChecked = true))
    assert.deepEqual(await opened.storage.listKeys(), [])
    assert.equal(isChecked, false)
    await other.query("commit")
    await Promise.all([stored, checked])
  })
})

describe("a server with few connections", () => {
  it("serves a storage that has what it needs, and refuses the next at its start", async () => {
    await using database = await createTestDatabase()
    await using role = await createTestRole(database.url)
    const { username } = new URL(role.url)
    // Two that commit, one for takings, one for everything else.
    await execute(database.url, `alter role ${username} connection limit 4`)
    const storage = await createPostgresStorage({ url: role.url })
    // Reading takes no connection from those that commit, whichever is needed first.
    await Promise.all(Array.from({ length: 20 }, () => storage.listKeys()))
    const samples = toTasks(100)
    await Promise.all(samples.map(({ append }) => storage.append(append)))
    const rounds = Array.from({ length: 20 }, async () => {
      assert.deepEqual(await storage.readTask("task-99"), samples[99]?.head)
      assert.deepEqual(await storage.listKeys(), [])
      await storage.heartbeat({ lease: "lease", heartbeats: 1, facts: FACTS })
      await storage.revokeKey({ id: "nobody", revokedAt: 1 })
    })
    await Promise.all(rounds)
    await storage.check()
    await assert.rejects(createPostgresStorage({ url: role.url }), {
      code: "storage-unavailable",
      message: /too many connections/,
    })
    await storage.check()
    await storage.close()
  })
})
