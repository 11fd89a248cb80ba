/** A database that is opened to be read: it is neither made, nor migrated, nor written. */
import assert from "node:assert/strict"
import { describe, it } from "node:test"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { submitSample } from "@safelight/testkit"
import { createTestDatabase, execute } from "../../support/test-database.ts"
import { open } from "./open.ts"

const TABLES = "select count(*)::int as tables from pg_tables where schemaname = 'public'"
const SCHEMA = "select schema_version as schema from compatibility"

describe("a database that is opened to be read", () => {
  it("is read, and the server refuses what would be written", async () => {
    await using opened = await open()
    const { append } = submitSample({ id: "t" })
    const writing = await opened.openBeside({})
    await writing.append(append)
    const storage = await createPostgresStorage({ url: opened.url, mode: "read" })
    try {
      const { streams } = await storage.scan({ after: "", limit: 10 })
      assert.deepEqual(
        streams.map(({ id }) => id),
        ["t"],
      )
      await assert.rejects(storage.setAccount({ id: "ann", now: 1, settings: {} }), /read-only/)
    } finally {
      await storage.close()
    }
    assert.equal(await writing.findAccount("ann"), undefined)
  })

  it("is refused where it is an older release's, or holds nothing", async () => {
    await using database = await createTestDatabase()
    const { url } = database
    const code = "invalid-configuration"
    const empty = createPostgresStorage({ url, mode: "read" })
    await assert.rejects(empty, { code, message: /has no tables of Safelight/ })
    assert.deepEqual(await execute(url, TABLES), [{ tables: 0 }])
    await (await createPostgresStorage({ url })).close()
    await execute(url, "update compatibility set schema_version = 5, oldest_code_version = 5")
    const older = createPostgresStorage({ url, mode: "read" })
    await assert.rejects(older, { code, message: /an older release's, with schema 5/ })
    assert.deepEqual(await execute(url, SCHEMA), [{ schema: "5" }])
  })
})
