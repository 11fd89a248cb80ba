/**
 * A database that can't be used: one clear line, the exit code that says whose fault it is, and no
 * password in it, whatever was mistyped.
 */
import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { SCHEMA_VERSION } from "@safelight/store"
import { execute } from "../../support/test-database.ts"
import { assertAllRefused, assertRefused } from "./refusal.ts"
import { createTestRole } from "./postgres-role.ts"
import { createPostgresWorld, type PostgresWorld } from "./postgres-world.ts"

function toDatabase(world: PostgresWorld, change: (url: URL) => void): readonly string[] {
  const url = new URL(world.database)
  change(url)
  return ["--database", url.href]
}

describe("a database that can't be used is named in one line", () => {
  test("where its URL is wrong", async (t) => {
    const world = await createPostgresWorld(t)
    world.addSecret("hunter22")
    const to = (change: (url: URL) => void): readonly string[] => toDatabase(world, change)
    await assertAllRefused(world, [
      {
        name: "a wrong password",
        words: to((url) => (url.password = "hunter22")),
        code: 2,
        says: /password authentication failed/,
      },
      {
        name: "a password that is missing",
        words: to((url) => (url.password = "")),
        code: 2,
        says: /asks for a password, and neither the URL nor PGPASSWORD has one/,
      },
      {
        name: "a wrong password in PGPASSWORD",
        words: to((url) => (url.password = "")),
        environment: { ...world.environment, PGPASSWORD: "hunter22" },
        isOwnProcess: true,
        code: 2,
        says: /password authentication failed/,
      },
      {
        name: "no such database",
        words: to((url) => (url.pathname = "/nowhere")),
        code: 2,
        says: /database "nowhere" does not exist/,
      },
      {
        name: "a port where nobody listens",
        words: to((url) => (url.port = "1")),
        code: 1,
        says: /ECONNREFUSED/,
      },
      {
        name: "a server without TLS, which pg warns of besides",
        isOwnProcess: true,
        words: to((url) => (url.search = "sslmode=require")),
        code: 1,
        says: /does not support SSL/,
      },
    ])
  })

  test("where the setting is wrong", async (t) => {
    const world = await createPostgresWorld(t)
    const { database, credentials } = world
    await assertAllRefused(world, [
      {
        name: "another scheme",
        words: ["--database", database.replace("postgres:", "http:")],
        code: 2,
        says: /--database: expected a URL such as postgres:/,
      },
      {
        name: "a role that is none",
        words: ["--role", "boss"],
        code: 2,
        says: /--role: expected one of "all", "api", "worker"$/,
      },
      {
        name: "a worker without a database",
        words: ["--role", "worker"],
        environment: credentials,
        code: 2,
        says: /"worker" needs PostgreSQL; --database names it$/,
      },
      {
        name: "a flag that is mistyped",
        words: [`--databse=${database}`],
        code: 2,
        says: /unknown option '--databse=postgres:/,
      },
      {
        name: "a flag that is left out",
        words: [database],
        code: 2,
        says: /too many arguments/,
      },
    ])
    const file = await world.run(["import", database])
    assert.match(file.stderr, /^safelight: [^\n]* can't be read \(ENOENT\)\n$/)
    assert.equal(file.code, 2)
  })

  test("where only newer code may use it", async (t) => {
    const world = await createPostgresWorld(t)
    await world.succeed("keys", "create", "--account", "ada")
    const newer = SCHEMA_VERSION + 1
    await execute(
      world.database,
      `update compatibility set schema_version = ${newer}, oldest_code_version = ${newer}`,
    )
    await assertRefused(world, { name: "serve", code: 1, says: /Start a newer release/ })
    const { code, stderr } = await world.run(["keys", "list"])
    assert.match(stderr, /^safelight: [^\n]*Start a newer release[^\n]*\n$/)
    assert.equal(code, 1)
  })

  test("where a command expects data and finds none", async (t) => {
    const world = await createPostgresWorld(t)
    const { code, stderr } = await world.run(["audit", "verify"])
    assert.match(stderr, /^safelight: this PostgreSQL database holds no data of Safelight\n$/)
    assert.equal(code, 2)
    const tables = "select 1 from pg_tables where schemaname = 'public'"
    assert.deepEqual(await execute(world.database, tables), [])
  })
})

test("a password may hold anything: it opens the database, and no line shows it", async (t) => {
  const world = await createPostgresWorld(t)
  await using role = await createTestRole(world.database)
  const { url, password } = role
  world.addSecret(password)
  world.addSecret(new URL(url).password)
  world.addSecret(password.slice(-12))
  const made = await world.run(["keys", "create", "--account", "ada", "--database", url])
  assert.deepEqual([made.code, made.stderr], [0, ""])
  const inVariable = new URL(url)
  inVariable.password = ""
  const environment = { PGPASSWORD: password, SAFELIGHT_DATABASE_URL: inVariable.href }
  const listed = await world.run(["keys", "list"], { environment, isOwnProcess: true })
  assert.match(listed.stdout, /ada/)
  await assertAllRefused(world, [
    { name: "a stray word", words: [url], code: 2, says: /too many arguments/ },
    { name: "not escaped", words: [`--db=postgres://u:${password}@h/db`], code: 2, says: /--db=/ },
    { name: "as a parameter", words: [`x://h?password=${password}`], code: 2, says: /many/ },
    { name: "another role's", words: ["--data", url, "--role", url], code: 2, says: /--role/ },
  ])
})
