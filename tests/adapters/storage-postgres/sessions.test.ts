/** What stands between a storage and its server, and what the server is: found out, refused, or warned of. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { until } from "../../support/until.ts"
import type { Log } from "@safelight/core"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { Client, type ClientConfig } from "pg"
import {
  connect,
  type PostgresConnection,
} from "../../../adapters/storage-postgres/src/connection.ts"
import {
  findKeeping,
  haveOwnSessions,
  keepsNames,
} from "../../../adapters/storage-postgres/src/find-keeping.ts"
import { KEEPS_ALL } from "../../../adapters/storage-postgres/src/keeping.ts"
import { toName } from "../../../adapters/storage-postgres/src/named-query.ts"
import { toServerWarnings } from "../../../adapters/storage-postgres/src/server-warnings.ts"
import { startForgetfulProxy } from "../../support/forgetful-proxy.ts"
import { createTestDatabase, execute, type TestDatabase } from "../../support/test-database.ts"
import { createFakeConnection } from "../store/fake-connection.ts"
import { readSettings } from "./pooler/read-settings.ts"

type Answers = Partial<Pick<PostgresConnection, "execute" | "run">>

function fakeConnection(answers: Answers = {}): PostgresConnection {
  const { run = async () => [], ...others } = answers
  const connection = createFakeConnection(others)
  return {
    ...connection,
    run,
    end: async () => undefined,
    onEnd() {},
    onNotification() {},
    processId: null,
  }
}

interface Forgetful extends AsyncDisposable {
  readonly database: TestDatabase
  /** Through a proxy that drops settings. */
  readonly url: string
}

async function openForgetful(): Promise<Forgetful> {
  const places = new AsyncDisposableStack()
  const database = places.use(await createTestDatabase())
  const url = new URL(database.url)
  url.port = String(places.use(await startForgetfulProxy({ port: Number(url.port) })).port)
  return { database, url: url.href, [Symbol.asyncDispose]: () => places.disposeAsync() }
}

describe("a pooler that drops settings", () => {
  it("is found out, and gets them with each transaction, with those of the URL", async () => {
    await using forgetful = await openForgetful()
    const url = new URL(forgetful.url)
    url.searchParams.set("options", `-c search_path="one\\ day",public --timezone=Asia/Tokyo`)
    url.searchParams.set("statement_timeout", "2000")
    const keeping = await findKeeping(url.href)
    assert.deepEqual(keeping, { ...KEEPS_ALL, settings: false })
    const connection = await connect({ url: url.href, name: "test", planning: "batches", keeping })
    const expected = {
      synchronous_commit: "on",
      statement_timeout: "2s",
      lock_timeout: "3s",
      TimeZone: "UTC",
      plan_cache_mode: "force_generic_plan",
      search_path: `"one day",public`,
    }
    assert.deepEqual(await readSettings(connection, Object.keys(expected)), expected)
    await connection.execute("begin")
    assert.deepEqual(await readSettings(connection, Object.keys(expected)), expected)
    await connection.execute("commit")
    await connection.end()
    const storage = await createPostgresStorage({ url: url.href })
    await storage.check()
    await storage.close()
  })

  it("is refused where a setting would come too late, with the SQL that helps", async () => {
    await using forgetful = await openForgetful()
    const { database, url } = forgetful
    const set = (level: string) =>
      `alter database ${database.name} set default_transaction_isolation = '${level}'`
    await execute(database.url, set("serializable"))
    const refused = await createPostgresStorage({ url }).catch((error: unknown) => error)
    const { code, message } = refused as { readonly code: string; readonly message: string }
    assert.equal(code, "invalid-configuration")
    const [, found, advice = ""] =
      /^(.+) and has to be .+; run: (.+) and restart/.exec(message) ?? []
    assert.equal(found, "PostgreSQL: default_transaction_isolation is serializable")
    await execute(database.url, advice)
    const storage = await createPostgresStorage({ url })
    await storage.close()
    const { username } = new URL(database.url)
    await execute(database.url, `alter role ${username} in database ${database.name} reset all`)
  })

  it("is refused where the URL's own options are none that a statement can set", async () => {
    await using forgetful = await openForgetful()
    const url = new URL(forgetful.url)
    url.searchParams.set("options", "-c jit=off -B 100")
    await assert.rejects(createPostgresStorage({ url: url.href }), {
      code: "invalid-configuration",
      message: /`options` hold something that is not -c name=value/,
    })
  })

  it("is not what a time-out of the URL's own is taken for", async () => {
    await using database = await createTestDatabase()
    const url = new URL(database.url)
    url.searchParams.set("statement_timeout", "2000")
    assert.deepEqual(await findKeeping(url.href), KEEPS_ALL)
  })
})

describe("a pooler that works by transaction", () => {
  /** A connection whose queries outside of a transaction go over the session that `take` gives. */
  function connectTo(take: (isTransaction: boolean) => number): PostgresConnection {
    let isTransaction = false
    return fakeConnection({
      async execute(sql) {
        isTransaction = sql === "begin"
        if (!isTransaction) take(false)
      },
      run: async () => [[take(isTransaction)]],
    })
  }

  it("is told by another's transaction that takes a connection's session", async () => {
    // The session that was free last is given out first; a transaction keeps it.
    const free = [2, 1]
    let held: number | undefined
    const other = connectTo((isTransaction) => {
      if (isTransaction) return (held ??= free.pop() ?? assert.fail())
      free.push(held ?? assert.fail())
      held = undefined
      return 0
    })
    const one = connectTo(() => free.at(-1) ?? assert.fail())
    assert.equal(await haveOwnSessions(one, other), false)
  })

  it("is told by sessions that are given out in turn", async () => {
    let last = 0
    const next = (): number => (last = (last % 2) + 1)
    const one = connectTo(next)
    const other = connectTo((isTransaction) => (isTransaction ? next() : 0))
    assert.equal(await haveOwnSessions(one, other), false)
  })

  it("is not asked for a second session where it has one alone", async () => {
    let isHeld = false
    const one = fakeConnection({
      async run() {
        assert.equal(isHeld, false, "nobody would answer")
        return [[1]]
      },
    })
    const other = fakeConnection({
      execute: async (sql) => void (isHeld = sql === "begin"),
      run: async () => [[1]],
    })
    assert.equal(await haveOwnSessions(one, other), false)
  })

  it("is not what a server is that each connection has a session of", async () => {
    const [one, other] = [connectTo(() => 1), connectTo(() => 2)]
    assert.equal(await haveOwnSessions(one, other), true)
  })

  it("keeps names if the server has others than it was given", async () => {
    const answers: readonly (readonly [toKnown: (name: string) => string | undefined, boolean])[] =
      [
        [(name) => name, false],
        [() => "PGBOUNCER_1", true],
        [() => undefined, false],
      ]
    for (const [toKnown, isKept] of answers) {
      const connection = fakeConnection({
        async run(query) {
          const name = toKnown("name" in query ? query.name : assert.fail("it has no name"))
          return name === undefined ? [] : [[name]]
        },
      })
      assert.equal(await keepsNames(connection), isKept)
    }
  })
})

describe("a statement that is prepared by name", () => {
  it("has a name that its text alone decides, so that a foreign one is the same statement", () => {
    assert.equal(toName("select 1"), "safelight girgfUeDFYvBkSu2I-UQfMkALVGeEUOpwgDtbuGLbQ8")
    assert.notEqual(toName("select 2"), toName("select 1"))
  })

  it("and that its session has lost, or has as another's, was not carried out, and may be elsewhere", async () => {
    await using database = await createTestDatabase()
    const connection = await connect({
      url: database.url,
      name: "test",
      planning: "rows",
      keeping: KEEPS_ALL,
    })
    const query = { text: "select 1", name: toName("select 1"), values: [] }
    await connection.run(query)
    await connection.execute("deallocate all")
    await assert.rejects(connection.run(query), { fault: "outdated" })
    await connection.execute('prepare "another" as select 2')
    await assert.rejects(connection.run({ ...query, name: "another" }), { fault: "outdated" })
    await connection.end()
  })
})

/** Warnings at the start of a storage. */
async function listWarnings(url: string): Promise<readonly string[]> {
  const warnings: string[] = []
  const log: Log = {
    info() {},
    error() {},
    warn: ({ warning }) => void warnings.push(String(warning)),
  }
  const storage = await createPostgresStorage({ url, log })
  await storage.close()
  return warnings
}

describe("a server that may lose what it acknowledged", () => {
  const safe = {
    fsync: "on",
    full_page_writes: "on",
    standbys: 0,
    synchronous: 0,
    untold: 0,
  }

  it("is warned of for each reason, and not without one", () => {
    assert.deepEqual(toServerWarnings(safe), [])
    assert.deepEqual(toServerWarnings({ ...safe, standbys: 2, synchronous: 1 }), [])
    const standbys = { ...safe, standbys: 2 }
    for (const [state, pattern] of [
      [{ ...safe, fsync: "off" }, /fsync off/],
      [{ ...safe, full_page_writes: "off" }, /full_page_writes off/],
      [standbys, /none is synchronous.+synchronous_standby_names/],
      [{ ...standbys, untold: 2 }, /pg_read_all_stats/],
    ] as const) {
      const [warning = "", ...others] = toServerWarnings(state)
      assert.match(warning, pattern)
      assert.deepEqual(others, [])
    }
  })

  it("because its standby is asynchronous is warned of at the start", async () => {
    await using database = await createTestDatabase()
    const config: ClientConfig & { replication: string } = {
      connectionString: database.url,
      replication: "true",
    }
    const standby = new Client(config)
    standby.on("error", () => undefined)
    await standby.connect()
    const { rows } = await standby.query<{ xlogpos: string }>("IDENTIFY_SYSTEM")
    // Never answered: from here on the server streams.
    standby.query(`START_REPLICATION PHYSICAL ${rows[0]?.xlogpos}`).catch(() => undefined)
    await until(async () => {
      const found = await execute(
        database.url,
        "select 1 from pg_stat_replication where state in ('streaming', 'catchup')",
      )
      return found.length === 1
    })
    const warnings = await listWarnings(database.url)
    standby.connection.stream.destroy()
    assert.ok(warnings.some((warning) => warning.includes("none is synchronous")))
  })
})
