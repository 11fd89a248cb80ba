/** A PostgreSQL database of the first release, opened by this one. */
import assert from "node:assert/strict"
import { describe, it, type TestContext } from "node:test"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { Client } from "pg"
import { createTestRole } from "../../service/postgres/postgres-role.ts"
import { createTestDatabase, execute, type TestDatabase } from "../../support/test-database.ts"
import { readBaseline } from "../store/baseline/baseline.ts"
import { assertSound, describeBaseline } from "../store/baseline/describe-baseline.ts"

const baseline = await readBaseline("postgres")

async function createBaseline(): Promise<TestDatabase> {
  const database = await createTestDatabase()
  await execute(database.url, baseline.sql ?? "")
  return database
}

async function openIn(database: TestDatabase) {
  const storage = await createPostgresStorage({ url: database.url })
  return {
    ...storage,
    async close() {
      await storage.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

describeBaseline("PostgreSQL", {
  baseline,
  open: async () => openIn(await createBaseline()),
  openEmpty: async () => openIn(await createTestDatabase()),
})

/** Everything that makes up a schema, what tunes it included. */
async function readSchema({ url }: TestDatabase): Promise<readonly unknown[]> {
  const columns = await execute(
    url,
    `select table_name, ordinal_position, column_name, data_type, collation_name, is_nullable, column_default
      from information_schema.columns where table_schema = 'public' order by 1, 2`,
  )
  const indexes = await execute(
    url,
    "select indexdef from pg_indexes where schemaname = 'public' order by 1",
  )
  const parts = await execute(
    url,
    `select relname, array(select unnest(reloptions) order by 1) as options, array(select tgname::text from pg_trigger where tgrelid = c.oid order by 1) as triggers
      from pg_class c where relnamespace = 'public'::regnamespace order by 1`,
  )
  const version = await execute(
    url,
    "select schema_version, oldest_code_version from compatibility",
  )
  return [...columns, ...indexes, ...parts, ...version]
}

/** Cuts the connection that migrates once it has sent its n-th query. */
function cutAt(t: TestContext, nth: number): () => boolean {
  let queries = 0
  const { query } = Client.prototype
  t.mock.method(Client.prototype, "query", function cut(
    this: Client,
    ...args: Parameters<typeof query>
  ) {
    const parameters: unknown = Reflect.get(this, "connectionParameters")
    const isMigrating = JSON.stringify(parameters).includes("safelight migration")
    const result: unknown = Reflect.apply(query, this, args)
    if (isMigrating) queries += 1
    if (isMigrating && queries === nth) this.connection.stream.destroy()
    return result
  } as never)
  return () => queries >= nth
}

describe("the schema of the first release on PostgreSQL", () => {
  it("becomes by its migrations the schema that a new database has, with its tuning", async () => {
    await using old = await createBaseline()
    await using fresh = await createTestDatabase()
    for (const { url } of [old, fresh]) await (await createPostgresStorage({ url })).close()
    assert.deepEqual(await readSchema(old), await readSchema(fresh))
  })

  it("leaves the room in pages to a later start, where a vacuum holds the table or a role does not own it", async () => {
    await using database = await createBaseline()
    const { url } = database
    const open = async (as = url) => (await createPostgresStorage({ url: as })).close()
    const readRoom = async () => {
      const [row] = await execute<{ room: string }>(
        url,
        "select reloptions[1] as room from pg_class where oid = 'tasks'::regclass",
      )
      return row?.room
    }
    await open()
    await execute(url, "alter table tasks reset (autovacuum_vacuum_scale_factor)")
    await execute(url, "alter table tasks set (fillfactor = 28)")
    await using role = await createTestRole(url)
    const { username } = new URL(role.url)
    await execute(url, `grant all on all tables in schema public to ${username}`)
    await open(role.url)
    const vacuum = new Client({ connectionString: url })
    await vacuum.connect()
    await vacuum.query("begin; lock table tasks in share update exclusive mode")
    await open()
    await vacuum.end()
    assert.equal(await readRoom(), "fillfactor=28")
    await open()
    assert.equal(await readRoom(), "fillfactor=36")
  })

  it("is the old one or the new one, and never between, wherever its migration is cut off", async (t) => {
    await using untouched = await createBaseline()
    const before = await readSchema(untouched)
    await (await createPostgresStorage({ url: untouched.url })).close()
    const after = await readSchema(untouched)
    for (let nth = 1, isCut = true; isCut; nth += 1) {
      await using database = await createBaseline()
      const { url } = database
      const wasCut = cutAt(t, nth)
      const opened = await Promise.allSettled([createPostgresStorage({ url })])
      t.mock.restoreAll()
      isCut = wasCut()
      for (const { status, ...result } of opened) {
        assert.equal(status === "rejected", isCut, `at query ${nth}`)
        if ("value" in result) await result.value.close()
      }
      const left = await readSchema(database)
      assert.deepEqual(left, JSON.stringify(left) === JSON.stringify(before) ? before : after)
      const storage = await createPostgresStorage({ url })
      await assertSound(storage)
      await storage.close()
      assert.deepEqual(await readSchema(database), after)
      assert.ok(isCut || nth > 5, `${nth} queries`)
    }
  })
})

describe("the schema of a release that this one excludes", () => {
  it("is left alone while a process of that release may be using it", async () => {
    await using database = await createBaseline()
    const { url } = database
    const before = await readSchema(database)
    // Connections of older releases had the name that the URL says, if it says one.
    const named = new URL(url)
    named.searchParams.set("application_name", "shop")
    for (const [name, newer] of [
      ["safelight committing", url],
      ["shop", named.href],
    ] as const) {
      const older = new Client({ connectionString: url, application_name: name })
      await older.connect()
      await assert.rejects(createPostgresStorage({ url: newer }), {
        code: "already-served",
        message: /open connections: 1\).* stop all its processes first/,
      })
      assert.deepEqual(await readSchema(database), before)
      await older.end()
    }
    const storage = await createPostgresStorage({ url: named.href })
    const sessions = await execute(
      url,
      "select 1 from pg_stat_activity where application_name = 'shop'",
    )
    assert.deepEqual(sessions, [])
    await storage.close()
  })

  it("is tried again by a later start where another program holds a table", async () => {
    await using database = await createBaseline()
    const { url } = database
    const before = await readSchema(database)
    const vacuum = new Client({ connectionString: url })
    await vacuum.connect()
    await vacuum.query("begin; lock table outcomes in share update exclusive mode")
    await assert.rejects(createPostgresStorage({ url }), {
      code: "storage-unavailable",
      retryable: true,
    })
    assert.deepEqual(await readSchema(database), before)
    await vacuum.end()
    await (await createPostgresStorage({ url })).close()
  })

  it("takes outcomes of a role that has no right on the tables it adds", async () => {
    await using database = await createBaseline()
    const { url } = database
    await (await createPostgresStorage({ url })).close()
    await execute(url, "insert into summed_hours (hour, summing) values (1, 0), (2, 0)")
    await using role = await createTestRole(url)
    const { username } = new URL(role.url)
    await execute(url, `grant insert on outcomes to ${username}`)
    await execute(
      role.url,
      `insert into outcomes (at, dispatched_at, charge_micros, cost_micros, attempt, task, channel, model, cost_source, outcome)
      values (3600001, 1, 0, 0, 1, '\\x01', 'channel', 'model', 'none', 'failed')`,
    )
    assert.deepEqual(await execute(url, "select hour::int from summed_hours"), [{ hour: 2 }])
  })
})

describe("a database from before the first release", () => {
  it("is refused, with what it is and what can be done", async () => {
    await using database = await createTestDatabase()
    const { url } = database
    await execute(
      url,
      `create table compatibility (id bigint primary key, schema_version bigint not null, oldest_code_version bigint not null);
       insert into compatibility values (1, 5, 5);
       create table events (task text); create table tasks (id text)`,
    )
    await assert.rejects(createPostgresStorage({ url }), {
      code: "invalid-configuration",
      message: /its schema 5 of that time.* Name an empty folder or database/,
    })
  })
})
