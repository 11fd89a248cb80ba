/** A storage on a database of its own, a copy of one that was migrated, and what tests of it ask again and again. */
import { createPostgresStorage, type PostgresStorageOptions } from "@safelight/storage-postgres"
import type { Storage } from "@safelight/core"
import { submitSample, type SampleAppend } from "@safelight/testkit"
import { Client, type QueryResultRow } from "pg"
import { startProxy, type TcpProxy } from "../../faults/tcp-proxy.ts"
import { createMigrated, execute } from "../../support/test-database.ts"

export interface Opened extends AsyncDisposable {
  readonly storage: Storage
  readonly url: string
  /** Another node on the same database. */
  openBeside(options?: Partial<PostgresStorageOptions>): Promise<Storage>
  /** Runs a statement on a connection of its own. */
  execute<Row extends QueryResultRow>(sql: string): Promise<Row[]>
  /** A connection that stays, as somebody else's would. */
  connect(): Promise<Client>
}

/** Makes the tables. */
export async function migrate(url: string): Promise<void> {
  const storage = await createPostgresStorage({ url })
  await storage.close()
}

export async function open(options: Partial<PostgresStorageOptions> = {}): Promise<Opened> {
  const database = await createMigrated(migrate)
  const { url } = database
  const storages: Storage[] = []
  const clients: Client[] = []

  async function openBeside(more: Partial<PostgresStorageOptions> = {}): Promise<Storage> {
    const storage = await createPostgresStorage({ url, ...more })
    storages.push(storage)
    return storage
  }

  return {
    storage: await openBeside(options),
    url,
    openBeside,
    execute: (sql) => execute(url, sql),
    async connect() {
      const client = new Client({ connectionString: url })
      client.on("error", () => undefined)
      await client.connect()
      clients.push(client)
      return client
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.end()))
      await Promise.all(storages.map((storage) => storage.close()))
      await database[Symbol.asyncDispose]()
    },
  }
}

export interface Proxied extends AsyncDisposable {
  readonly storage: Storage
  readonly proxy: TcpProxy
}

/** A storage that reaches the database of `opened` through a proxy. */
export async function openThroughProxy(opened: Opened): Promise<Proxied> {
  const url = new URL(opened.url)
  const proxy = await startProxy({ port: Number(url.port) })
  url.port = String(proxy.port)
  const storage = await createPostgresStorage({ url: url.href })
  return {
    storage,
    proxy,
    async [Symbol.asyncDispose]() {
      await storage.close()
      await proxy[Symbol.asyncDispose]()
    },
  }
}

/** New tasks in the queue, as many as asked for. */
export function toTasks(count: number, name = "task"): SampleAppend[] {
  const queue = {
    kind: "enqueue",
    dueAt: 1_000,
    endBy: 100_000,
    lease: null,
    startTag: null,
  } as const
  return Array.from({ length: count }, (_, index) =>
    submitSample({ id: `${name}-${index}`, queue }),
  )
}

/** The connections of the storages that use the database. */
export function listSessions(opened: Opened) {
  return opened.execute(`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name like 'safelight %'`)
}
