/**
 * An empty PostgreSQL database for a test, on the server that `SAFELIGHT_TEST_DATABASE_URL` names, or
 * else on one that this process starts for all its tests.
 */
import { randomBytes } from "node:crypto"
import { Client, type QueryResultRow } from "pg"
import { startPostgres, type PostgresServer } from "./postgres-server.ts"

export interface TestDatabase extends AsyncDisposable {
  readonly name: string
  readonly url: string
}

/** Tests of what a loss of power leaves start a server of their own. */
export const TEST_SERVER = { settings: ["fsync=off", "full_page_writes=off"] }

let started: Promise<PostgresServer> | undefined

/** Where databases can be made: a URL of the server's own database. */
export async function findTestServer(): Promise<string> {
  const given = process.env["SAFELIGHT_TEST_DATABASE_URL"]
  if (given !== undefined && given !== "") return given
  started ??= startPostgres(TEST_SERVER)
  const server = await started
  // It ends with this process, and must not keep it alive.
  server.unref()
  return server.url("postgres")
}

/** An empty database, or a copy of `template`. */
export async function createTestDatabase(template = "template1"): Promise<TestDatabase> {
  const server = await findTestServer()
  const name = `test_${randomBytes(6).toString("hex")}`
  await execute(server, `create database ${name} template ${template}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    name,
    url: url.href,
    async [Symbol.asyncDispose]() {
      await execute(server, `drop database ${name} with (force)`)
    },
  }
}

/**
 * An empty database that has its tables, for a test that reaches them through a storage alone: given
 * back it is emptied for the next one, since a database of its own costs the server three times as much.
 */
export async function borrowTestDatabase(
  migrate: (url: string) => Promise<void>,
): Promise<TestDatabase> {
  const database = returned.pop() ?? (await createMigrated(migrate))
  return {
    ...database,
    async [Symbol.asyncDispose]() {
      await execute(database.url, EMPTY)
      returned.push(database)
    },
  }
}

/** They go with the server, or with the next run's: the name is random. */
const returned: TestDatabase[] = []

/** A database of this process's that has its tables and nothing else; nobody may be in it while it is copied. */
let migrated: Promise<TestDatabase> | undefined

/** A database that has its tables, copied from one that was migrated for all tests of this process. */
export async function createMigrated(
  migrate: (url: string) => Promise<void>,
): Promise<TestDatabase> {
  migrated ??= createTestDatabase().then(async (database) => {
    await migrate(database.url)
    return database
  })
  return createTestDatabase((await migrated).name)
}

/** All rows but the one that says which schema it is, past triggers that keep events for ever. */
const EMPTY = `set session_replication_role = replica;
  do $$ declare name text; begin
    for name in select tablename from pg_tables
      where schemaname = 'public' and tablename <> 'compatibility'
    loop execute format('delete from %I', name); end loop;
  end $$`

/** Runs statements without parameters on a connection of their own; resolves to the last one's rows. */
export async function execute<Row extends QueryResultRow>(
  url: string,
  sql: string,
): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  client.on("error", () => undefined)
  await client.connect()
  try {
    const result = await client.query<Row>(sql)
    return (Array.isArray(result) ? result.at(-1) : result).rows
  } finally {
    await client.end()
  }
}
