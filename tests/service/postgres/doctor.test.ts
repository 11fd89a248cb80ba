/** `safelight doctor` on PostgreSQL and a bucket: each fault is made for real, and no password is in its words. */
import assert from "node:assert/strict"
import { createServer, request } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { describe, test, type TestContext } from "node:test"
import { skipWithoutPgbouncer } from "../../support/pgbouncer.ts"
import { execute } from "../../support/test-database.ts"
import { toDiagnosis, type Diagnosis } from "../command/doctor-world.ts"
import { createTestRole } from "./postgres-role.ts"
import { createPostgresWorld, type PostgresWorld } from "./postgres-world.ts"

async function diagnose(
  world: PostgresWorld,
  more: Readonly<Record<string, string>> = {},
): Promise<Diagnosis> {
  const words = ["doctor", "--timeout", "2m", "--reach", "http://127.0.0.1:50000", "--port", "0"]
  const environment = { ...world.environment, ...more }
  return toDiagnosis(await world.run([...words, "--json"], { environment }))
}

/** The same answers, by a clock that is `aheadMs` off. */
async function startSkewed(t: TestContext, endpoint: string, aheadMs: number): Promise<string> {
  const { hostname, port } = new URL(endpoint)
  const server = createServer((asked, response) => {
    const { headers, method = "GET", url = "/" } = asked
    const passed = request({ hostname, port, method, path: url, headers }, (answer) => {
      const date = new Date(Date.now() + aheadMs).toUTCString()
      response.writeHead(answer.statusCode ?? 500, { ...answer.headers, date })
      answer.pipe(response)
    })
    asked.pipe(passed)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe("PostgreSQL", () => {
  test("an empty database is told, and stays empty; one in use is well", async (t) => {
    const world = await createPostgresWorld(t)
    const empty = await diagnose(world)
    assert.ok(empty.of("database").includes("warning: it has no tables yet"))
    const tables = "select count(*)::int as tables from pg_tables where schemaname = 'public'"
    assert.deepEqual(await execute(world.database, tables), [{ tables: 0 }])
    assert.equal(await world.succeed("migrate"), "the tables are those of this release\n")
    assert.equal(await world.succeed("migrate"), "the tables are those of this release\n")
    const { code, of } = await diagnose(world)
    // The tests' server runs with both off, which is told.
    assert.deepEqual(of("database"), [
      "warning: PostgreSQL runs with fsync off: a crash loses or damages what it acknowledged",
      "warning: PostgreSQL runs with full_page_writes off: a crash may damage its tables",
    ])
    assert.match(of("artifacts").join(), /^ok: the bucket at http:\S+: a byte came back$/)
    assert.equal(code, 0)
  })

  test(
    "a pooler that works by transaction is told",
    { skip: skipWithoutPgbouncer() },
    async (t) => {
      const world = await createPostgresWorld(t, { isPooled: true })
      await world.succeed("migrate")
      const { code, of } = await diagnose(world)
      assert.equal(of("database").at(-1), "ok: reached through a pooler that works by transaction")
      assert.equal(code, 0)
    },
  )

  test("an address to read from that leads to no standby is told, and is no fault", async (t) => {
    const world = await createPostgresWorld(t)
    await world.succeed("migrate")
    const { code, of } = await diagnose(world, { SAFELIGHT_READ_DATABASE_URL: world.database })
    const words = "the standby to read from can't be used: it is no standby, or no longer"
    assert.ok(of("database").includes(`warning: ${words}`))
    assert.equal(code, 0)
  })

  test("a closed port, a wrong password, no such database, no answer in time", async (t) => {
    const world = await createPostgresWorld(t)
    await using role = await createTestRole(world.database)
    const wrong = new URL(role.url)
    wrong.password = "hunter22"
    world.addSecret("hunter22")
    const unknown = new URL(world.database)
    unknown.pathname = "/nobody"
    for (const [url, says] of [
      ["postgres://safelight:hunter22@127.0.0.1:1/media", /^fault: PostgreSQL: .*ECONNREFUSED/],
      [wrong.href, /^fault: PostgreSQL: password authentication failed/],
      [unknown.href, /^fault: PostgreSQL: database "nobody" does not exist/],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after another, on one server
      const { code, of } = await diagnose(world, { SAFELIGHT_DATABASE_URL: url })
      assert.match(of("database").join(), says)
      assert.equal(code, 1)
    }
  })

  test("a role that lacks rights, and a database that may only be read", async (t) => {
    const world = await createPostgresWorld(t)
    await world.succeed("keys", "create", "--account", "ada")
    await using role = await createTestRole(world.database)
    await execute(world.database, `grant select on all tables in schema public to public`)
    const lacking = await diagnose(world, { SAFELIGHT_DATABASE_URL: role.url })
    assert.match(lacking.of("database").join(), /fault: the role lacks .*INSERT on tasks/)
    const readOnly = new URL(world.database)
    readOnly.searchParams.set("options", "-c default_transaction_read_only=on")
    const { code, of } = await diagnose(world, { SAFELIGHT_DATABASE_URL: readOnly.href })
    assert.ok(of("database").includes("fault: it refuses writes"))
    assert.equal(code, 1)
  })

  test("a server whose clock is off", async (t) => {
    const world = await createPostgresWorld(t)
    await world.succeed("keys", "create", "--account", "ada")
    await execute(
      world.database,
      `create schema skewed; create function skewed.clock_timestamp() returns timestamptz
       language sql as $$ select pg_catalog.clock_timestamp() - interval '90 seconds' $$`,
    )
    const url = new URL(world.database)
    url.searchParams.set("options", "-c search_path=skewed,pg_catalog,public")
    const { of } = await diagnose(world, { SAFELIGHT_DATABASE_URL: url.href })
    assert.match(
      of("database").join("; "),
      /warning: the clock of the database, which counts, is (89|90)[.\d]* s behind this machine's/,
    )
  })
})

describe("a bucket", () => {
  test("a closed port, a bucket that is not there, no credentials that could be sent", async (t) => {
    const world = await createPostgresWorld(t)
    const { origin } = new URL(new URL(world.bucket).searchParams.get("endpoint") ?? "")
    for (const [more, says] of [
      [
        { SAFELIGHT_ARTIFACTS_URL: "s3://bucket?endpoint=http://127.0.0.1:1&region=eu-1" },
        /^fault: .*ECONNREFUSED/,
      ],
      [
        { SAFELIGHT_ARTIFACTS_URL: `s3://nobody?endpoint=${origin}&region=eu-1` },
        /^fault: The bucket failed: .*NoSuchBucket/,
      ],
      [{ AWS_SECRET_ACCESS_KEY: "hunter2 2" }, /^fault: AWS_SECRET_ACCESS_KEY must be visible/],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after another, on one bucket
      const { code, of } = await diagnose(world, more)
      assert.match(of("artifacts").join(), says)
      assert.equal(code, 1)
    }
  })

  test("one that judges signatures by another clock", async (t) => {
    const world = await createPostgresWorld(t)
    const bucket = new URL(world.bucket)
    const endpoint = bucket.searchParams.get("endpoint") ?? ""
    const diagnoseAt = async (aheadMs: number): Promise<string> => {
      bucket.searchParams.set("endpoint", await startSkewed(t, endpoint, aheadMs))
      const { of } = await diagnose(world, { SAFELIGHT_ARTIFACTS_URL: bucket.href })
      return of("artifacts").join("; ")
    }
    // The bucket behind refuses what the client signs by that clock, as one with that clock refuses by ours.
    assert.match(
      await diagnoseAt(3_600_000),
      /^fault: The bucket failed: .*; fault: the clock of the bucket is \d+[.\d]* s ahead of this machine's$/,
    )
    assert.match(
      await diagnoseAt(-60_000),
      /^warning: the clock of the bucket is 6\d[.\d]* s behind/,
    )
  })
})
