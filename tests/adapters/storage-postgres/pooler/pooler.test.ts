/** A real PgBouncer between: what is found of it, what of it is refused, and what its clients get of each other. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import type { Log } from "@safelight/core"
import { createPostgresStorage, type PostgresStorageOptions } from "@safelight/storage-postgres"
import { Client } from "pg"
import { connect } from "../../../../adapters/storage-postgres/src/connection.ts"
import { findKeeping } from "../../../../adapters/storage-postgres/src/find-keeping.ts"
import {
  skipWithoutPgbouncer,
  startPgbouncer,
  type Pgbouncer,
  type PgbouncerOptions,
} from "../../../support/pgbouncer.ts"
import { createTestDatabase } from "../../../support/test-database.ts"
import { until } from "../../../support/until.ts"
import { open, toTasks, type Opened } from "../open.ts"
import { readSettings } from "./read-settings.ts"

const skip = skipWithoutPgbouncer()

const SHARED = { sessions: false, names: false, settings: false }

interface Pooled extends AsyncDisposable {
  /** The database itself. */
  readonly direct: Opened
  readonly url: string
  readonly pooler: Pgbouncer
}

async function openPooled(settings: PgbouncerOptions["settings"] = {}): Promise<Pooled> {
  const places = new AsyncDisposableStack()
  const direct = places.use(await open())
  const pooler = places.use(await startPgbouncer(direct.url, { settings }))
  return {
    direct,
    url: pooler.through(direct.url),
    pooler,
    [Symbol.asyncDispose]: () => places.disposeAsync(),
  }
}

/** What a storage says at its start, and of the work that it fails at. */
async function listWords(options: PostgresStorageOptions): Promise<readonly unknown[]> {
  const words: unknown[] = []
  const log: Log = {
    info: (fields, message) => void words.push({ message, ...fields }),
    warn() {},
    error() {},
  }
  const storage = await createPostgresStorage({ ...options, log })
  await storage.close()
  return words
}

/** As any program beside has it. */
async function connectClient(url: string): Promise<Client> {
  const client = new Client({ connectionString: url })
  client.on("error", () => undefined)
  await client.connect()
  return client
}

describe("PgBouncer", { skip }, () => {
  it("that works by transaction is told of at the start, with what follows", async () => {
    await using pooled = await openPooled()
    assert.deepEqual(await listWords({ url: pooled.url }), [
      {
        message: "database connections",
        sessions: "shared by a pooler",
        settings: "sent with each transaction",
        statements: "prepared each time",
        wakeUps: "by polling",
      },
    ])
    const listenUrl = pooled.direct.url
    const [line] = await listWords({ url: pooled.url, listenUrl })
    assert.equal((line as { wakeUps: string }).wakeUps, "by LISTEN at an address of its own")
  })

  it("that ignores settings, or has one session alone, is found out as well", async () => {
    for (const settings of [
      { ignore_startup_parameters: "options,extra_float_digits,statement_timeout" },
      { default_pool_size: 1 },
      { default_pool_size: 2, server_round_robin: 1 },
    ]) {
      await using pooled = await openPooled(settings)
      assert.deepEqual(await findKeeping(pooled.url), SHARED)
    }
  })

  it("that works by session keeps sessions and names, and wakes up", async () => {
    await using pooled = await openPooled({ pool_mode: "session" })
    assert.deepEqual(await listWords({ url: pooled.url }), [
      {
        message: "database connections",
        sessions: "one for each connection",
        settings: "sent with each transaction",
        statements: "prepared once",
        wakeUps: "by LISTEN",
      },
    ])
    const storage = await createPostgresStorage({ url: pooled.url })
    for (const { append, head } of toTasks(3)) {
      await storage.append(append)
      assert.deepEqual(await storage.readTask(head.task.id), head)
    }
    await storage.close()
  })

  it("that works by statement is refused", async () => {
    await using pooled = await openPooled({ pool_mode: "statement" })
    await assert.rejects(createPostgresStorage({ url: pooled.url }), {
      code: "invalid-configuration",
      message: /works by statement; set it to pool by transaction/,
    })
  })

  it("is refused as the address to listen at, and so is another database", async () => {
    await using pooled = await openPooled()
    await using other = await open()
    const refused = [pooled.url, other.url].map((listenUrl) =>
      assert.rejects(createPostgresStorage({ url: pooled.url, listenUrl }), {
        code: "invalid-configuration",
        message: /nothing is heard at the address to listen at/,
      }),
    )
    await Promise.all(refused)
  })

  it("lets one of several nodes that start together make the tables", async () => {
    await using database = await createTestDatabase()
    await using pooler = await startPgbouncer(database.url)
    const url = pooler.through(database.url)
    const nodes = await Promise.all(Array.from({ length: 4 }, () => createPostgresStorage({ url })))
    await Promise.all(nodes.map((storage) => storage.check()))
    await Promise.all(nodes.map((storage) => storage.close()))
  })

  it("that is restarted amid commits loses none of them, and stores none twice", async () => {
    await using pooled = await openPooled()
    const storage = await createPostgresStorage({ url: pooled.url })
    const samples = toTasks(900)
    const waves = [0, 300, 600].map((from) => samples.slice(from, from + 300))
    const stored: Promise<unknown>[] = []
    for (const wave of waves) {
      stored.push(...wave.map(({ append }) => storage.append(append)))
      // Some are under way then.
      await stored.at(-300)
      await pooled.pooler.restart()
    }
    await Promise.all(stored)
    const counted = await pooled.direct.execute<{ events: number; tasks: number }>(
      "select count(*)::int as events, count(distinct task)::int as tasks from events",
    )
    assert.deepEqual(counted, [{ events: 900, tasks: 900 }])
    await storage.close()
  })

  it("wakes nodes up over an address of its own", async () => {
    await using pooled = await openPooled()
    const listenUrl = pooled.direct.url
    const node = await createPostgresStorage({ url: pooled.url, listenUrl })
    const other = await createPostgresStorage({ url: pooled.url })
    assert.equal(other.onQueued, undefined)
    let rings = 0
    const stop = node.onQueued?.(() => (rings += 1))
    // It rings once as it begins to listen.
    await until(() => rings === 1)
    await other.append(toTasks(1)[0]?.append ?? assert.fail())
    await until(() => rings === 2)
    stop?.()
    await Promise.all([node.close(), other.close()])
  })
})

describe("a session that PgBouncer gives to one client after another", { skip }, () => {
  const NAMES = ["synchronous_commit", "statement_timeout", "enable_seqscan", "TimeZone"] as const
  const LEFT = `select
    (select count(*) from pg_prepared_statements)::int as statements,
    (select count(*) from pg_listening_channels())::int as channels,
    (select count(*) from pg_locks where locktype = 'advisory')::int as locks`

  it("shows another client nothing of a storage that used it", async () => {
    await using pooled = await openPooled({ default_pool_size: 1 })
    const before = await connectClient(pooled.url)
    const read = `select ${NAMES.map((name) => `current_setting('${name}') as "${name}"`).join(", ")}`
    const clean = (await before.query(read)).rows
    const storage = await createPostgresStorage({ url: pooled.url })
    await Promise.all(toTasks(50).map(({ append }) => storage.append(append)))
    await storage.setAccount({ id: "account", now: 1, settings: { unfinishedTasks: 17 } })
    await storage.check()
    await storage.scan({ after: "", limit: 10 })
    assert.deepEqual((await before.query(read)).rows, clean)
    assert.deepEqual((await before.query(LEFT)).rows, [{ statements: 0, channels: 0, locks: 0 }])
    await storage.close()
    await before.end()
  })

  it("brings a storage nothing of another client that used it", async () => {
    await using pooled = await openPooled({ default_pool_size: 1 })
    const keeping = await findKeeping(pooled.url)
    const connection = await connect({
      url: pooled.url,
      name: "test",
      planning: "rows",
      keeping,
    })
    const other = await connectClient(pooled.url)
    await other.query(
      "set synchronous_commit = off; set statement_timeout = 60000; set enable_seqscan = on",
    )
    await other.query("set timezone = 'Asia/Tokyo'")
    const ours = {
      synchronous_commit: "on",
      statement_timeout: "15s",
      enable_seqscan: "off",
      TimeZone: "UTC",
    }
    assert.deepEqual(await readSettings(connection, NAMES), ours)
    await connection.execute("begin isolation level repeatable read read only")
    assert.deepEqual(await readSettings(connection, NAMES), ours)
    await connection.execute("commit")
    // What is over is over: the other client has its own back.
    const { rows } = await other.query("show synchronous_commit")
    assert.deepEqual(rows, [{ synchronous_commit: "off" }])
    await Promise.all([connection.end(), other.end()])
  })

  it("keeps what two storages ask apart, however much is under way", async () => {
    await using pooled = await openPooled({ default_pool_size: 2 })
    const { url } = pooled
    const nodes = await Promise.all([
      createPostgresStorage({ url }),
      createPostgresStorage({ url }),
    ])
    const samples = nodes.map((_, node) => toTasks(200, `node-${node}`))
    await Promise.all(
      nodes.flatMap((storage, node) =>
        (samples[node] ?? []).map(({ append }) => storage.append(append)),
      ),
    )
    for (const [node, storage] of nodes.entries()) {
      const others = samples[1 - node] ?? []
      const heads = await Promise.all(others.map(({ head }) => storage.readTask(head.task.id)))
      assert.deepEqual(
        heads,
        others.map(({ head }) => head),
      )
    }
    await Promise.all(nodes.map((storage) => storage.close()))
  })
})
