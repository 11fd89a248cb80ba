/**
 * Whether a database is the one that was recorded, or a copy: of the same server for real, of another
 * one by what the record says.
 */
import assert from "node:assert/strict"
import { randomBytes } from "node:crypto"
import { describe, it } from "node:test"
import type { DatabaseStanding, Log, LogFields, Storage } from "@safelight/core"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createTestDatabase, execute, findTestServer } from "../../support/test-database.ts"
import { open, type Opened } from "./open.ts"

async function record(storage: Storage, adoptedAt = 0): Promise<void> {
  const { revision } = await storage.readDeployment()
  assert.ok(await storage.recordDeployment({ revision, artifactsMark: null, adoptedAt }))
}

async function readStanding(storage: Storage): Promise<DatabaseStanding> {
  return (await storage.readDeployment()).standing
}

async function openStanding(url: string): Promise<DatabaseStanding> {
  const storage = await createPostgresStorage({ url })
  try {
    return await readStanding(storage)
  } finally {
    await storage.close()
  }
}

function toName(url: string): string {
  return new URL(url).pathname.slice(1)
}

describe("a database", () => {
  it("is the original for every node, and after it was renamed", async () => {
    await using database = await createTestDatabase()
    const storage = await createPostgresStorage({ url: database.url })
    await record(storage)
    assert.equal(await openStanding(database.url), "original")
    await storage.close()
    const name = `test_${randomBytes(6).toString("hex")}`
    const server = await findTestServer()
    await execute(server, `alter database ${database.name} rename to ${name}`)
    assert.equal(await openStanding(database.url.replace(database.name, name)), "original")
    await execute(server, `alter database ${name} rename to ${database.name}`)
  })

  it("is a copy where it was made from another on the same server", async () => {
    await using database = await createTestDatabase()
    const storage = await createPostgresStorage({ url: database.url })
    await record(storage)
    await storage.close()
    await using copy = await createTestDatabase(database.name)
    assert.equal(await openStanding(copy.url), "copied")
    assert.equal(await openStanding(database.url), "original")
    const adopted = await createPostgresStorage({ url: copy.url })
    await record(adopted)
    assert.equal(await readStanding(adopted), "original")
    await adopted.close()
  })

  it("is a copy where it was recorded on another server", async () => {
    await using opened = await open()
    await record(opened.storage)
    const [row] = await opened.execute<{ origin: string }>("select origin from deployment")
    const { database, server, ...rest } = JSON.parse(row?.origin ?? "{}") as Record<string, string>
    assert.deepEqual(rest, {})
    const [control] = await opened.execute<{ id: string }>(
      "select system_identifier::text as id from pg_control_system()",
    )
    assert.equal(server, control?.id)
    const other = JSON.stringify({ database, server: `${server}1` })
    await opened.execute(`update deployment set origin = '${other}'`)
    assert.equal(await readStanding(opened.storage), "copied")
  })

  it("is told by its own number alone to a role that may not ask which server it is", async () => {
    await using opened = await open()
    await record(opened.storage)
    const role = `role_${randomBytes(6).toString("hex")}`
    const name = toName(opened.url)
    const password = randomBytes(12).toString("hex")
    await opened.execute(`create role ${role} login password '${password}'`)
    try {
      const right = `has_function_privilege('${role}', 'pg_control_system()', 'execute')`
      const [asked] = await opened.execute<{ may: boolean }>(`select ${right} as may`)
      assert.equal(asked?.may, true)
      await opened.execute(`
        revoke execute on function pg_control_system() from public;
        grant create on database ${name} to ${role};
        grant usage, create on schema public to ${role};
        grant all on all tables in schema public to ${role}`)
      const advised: unknown[] = []
      const warn = ({ advice }: LogFields): void => {
        if (advice !== undefined) advised.push(advice)
      }
      const log: Log = { info() {}, error() {}, warn }
      const url = new URL(opened.url)
      url.username = role
      url.password = password
      const storage = await createPostgresStorage({ url: url.href, log })
      assert.equal(await readStanding(storage), "original")
      await record(storage)
      assert.deepEqual(advised, ["grant execute on function pg_control_system() to the role"])
      // What a role with the right recorded is left as it is, unless the database is adopted.
      assert.deepEqual(await readParts(opened), ["database", "server"])
      await record(storage, 1)
      assert.deepEqual(await readParts(opened), ["database"])
      assert.equal((await storage.readDeployment()).hasMoreToRecord, undefined)
      await storage.close()
      // Whoever may ask, compares what both know, and adds the rest.
      const { standing, hasMoreToRecord } = await opened.storage.readDeployment()
      assert.deepEqual(
        { standing, hasMoreToRecord },
        { standing: "original", hasMoreToRecord: true },
      )
      await record(opened.storage, 1)
      assert.deepEqual(await readParts(opened), ["database", "server"])
      assert.equal((await opened.storage.readDeployment()).hasMoreToRecord, undefined)
      await using copy = await createCopy(opened.url)
      assert.equal(await openStanding(copy.url), "copied")
    } finally {
      await opened.execute(`drop owned by ${role} cascade; drop role ${role}`)
    }
  })
})

/** The parts of the origin that is recorded. */
async function readParts(opened: Pick<Opened, "execute">): Promise<readonly string[]> {
  const [row] = await opened.execute<{ origin: string }>("select origin from deployment")
  return Object.keys(JSON.parse(row?.origin ?? "{}") as object)
}

/** Nobody else may be in the database meanwhile. */
async function createCopy(url: string) {
  const server = await findTestServer()
  const name = toName(url)
  await execute(
    server,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  )
  return createTestDatabase(name)
}
