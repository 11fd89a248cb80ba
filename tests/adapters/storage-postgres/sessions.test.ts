/** What stands between a storage and its server, and what the server is: refused, or warned of. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { until } from "../../support/until.ts"
import type { Log } from "@safelight/core"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { Client, type ClientConfig } from "pg"
import type { PostgresConnection } from "../../../adapters/storage-postgres/src/connection.ts"
import { toServerWarnings } from "../../../adapters/storage-postgres/src/server-warnings.ts"
import {
  assertOwnSessions,
  assertSettings,
  toCrucialSettings,
} from "../../../adapters/storage-postgres/src/session-settings.ts"
import { startForgetfulProxy } from "../../support/forgetful-proxy.ts"
import { createTestDatabase, execute } from "../../support/test-database.ts"
import { createFakeConnection } from "../store/fake-connection.ts"

type Answers = Partial<Pick<PostgresConnection, "execute" | "run">>

function fakeConnection(answers: Answers = {}): PostgresConnection {
  const { run = async () => [], ...others } = answers
  const connection = createFakeConnection(others)
  return { ...connection, run, end: async () => undefined, onEnd() {}, onNotification() {} }
}

/** What a server answers with a SQLSTATE. */
function serverError(code: string): Error {
  return Object.assign(new Error(`SQLSTATE ${code}`), { code, severity: "ERROR" })
}

describe("a pooler that drops settings", () => {
  it("is refused in one line that names the first of them and what to do", async () => {
    await using database = await createTestDatabase()
    const url = new URL(database.url)
    await using proxy = await startForgetfulProxy({ port: Number(url.port) })
    url.port = String(proxy.port)
    await assert.rejects(createPostgresStorage({ url: url.href }), {
      code: "invalid-configuration",
      message:
        "PostgreSQL: statement_timeout is 0 where 15000 was sent: a pooler between drops what is sent with a connection; connect directly, or run: alter role <role> set statement_timeout = '15000'",
    })
    await execute(database.url, `alter database ${database.name} set synchronous_commit = off`)
    await assert.rejects(createPostgresStorage({ url: url.href }), {
      code: "invalid-configuration",
      message: /^PostgreSQL: synchronous_commit is off where on was sent: .+$/,
    })
  })

  it("is not what a time-out of the URL's own is taken for", async () => {
    await using database = await createTestDatabase()
    const url = new URL(database.url)
    url.searchParams.set("statement_timeout", "2000")
    const storage = await createPostgresStorage({ url: url.href })
    await storage.check()
    await storage.close()
  })

  it("is served behind once the settings hold without it", async () => {
    await using database = await createTestDatabase()
    const url = new URL(database.url)
    await using proxy = await startForgetfulProxy({ port: Number(url.port) })
    url.port = String(proxy.port)
    const settings = {
      statement_timeout: 15_000,
      idle_in_transaction_session_timeout: 5_000,
      lock_timeout: 3_000,
    }
    for (const [name, value] of Object.entries(settings)) {
      await execute(database.url, `alter database ${database.name} set ${name} = ${value}`)
    }
    const storage = await createPostgresStorage({ url: url.href })
    await storage.check()
    await storage.close()
  })
})

describe("a pooler that works by transaction", () => {
  const refused = { code: "invalid-configuration", message: /pool by session/ }

  /** A connection whose queries outside of a transaction go over the session that `take` gives. */
  function connect(take: (isTransaction: boolean) => number): PostgresConnection {
    let isTransaction = false
    return fakeConnection({
      async execute(sql) {
        isTransaction = sql === "begin"
        if (!isTransaction) take(false)
      },
      run: async () => [[take(isTransaction)]],
    })
  }

  it("is refused where another's transaction takes a connection's session", async () => {
    // The session that was free last is given out first; a transaction keeps it.
    const free = [2, 1]
    let held: number | undefined
    const other = connect((isTransaction) => {
      if (isTransaction) return (held ??= free.pop() ?? assert.fail())
      free.push(held ?? assert.fail())
      held = undefined
      return 0
    })
    const one = connect(() => free.at(-1) ?? assert.fail())
    await assert.rejects(assertOwnSessions(one, other), refused)
  })

  it("is refused where prepared statements get lost", async () => {
    const connection = fakeConnection({
      async run() {
        throw serverError("26000")
      },
    })
    await assert.rejects(assertOwnSessions(connection, fakeConnection()), refused)
  })

  it("is refused where another connection's prepared statements are there", async () => {
    const settings = toCrucialSettings("postgres://db.example/x", 15_000, "rows")
    const asked = assertSettings(() => Promise.reject(serverError("42P05")), settings)
    await assert.rejects(asked, refused)
  })

  it("is not what a server is that each connection has a session of", async () => {
    await assertOwnSessions(
      connect(() => 1),
      connect(() => 2),
    )
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
