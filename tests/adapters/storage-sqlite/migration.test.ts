/** Migrating, with an invented second migration: there is one so far, which makes every table. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "node:test"
import { createSqliteStorage, SQLITE_DIALECT } from "@safelight/storage-sqlite"
import { migrate, SCHEMA_VERSION, type Migration, type Schema } from "@safelight/store"
import { submitSample } from "@safelight/testkit"
import { Kysely, SqliteDialect, type SqliteDatabase } from "kysely"
import { createTemporaryFolder, type TemporaryFolder } from "../../support/temporary-folder.ts"

const NEXT = SCHEMA_VERSION + 1
/** Code from before can't read a packed note. */
const OLDEST = 11
const dialect = SQLITE_DIALECT

const addNotes: Migration = (db) => db.schema.createTable("notes").addColumn("id", "text").execute()

/** This release's migrations are run in every test's database: none may be run again. */
const failing: Migration = () => Promise.reject(new Error("run twice"))

function toNext(migration: Migration, oldestCodeVersion: number): Schema {
  const known = Array.from({ length: SCHEMA_VERSION }, () => failing)
  return { migrations: [...known, migration], oldestCodeVersion }
}

/** A database of this release with a task in it. */
async function createFolder(): Promise<TemporaryFolder & { readonly database: DatabaseSync }> {
  const folder = await createTemporaryFolder()
  const storage = await createSqliteStorage({ folder: folder.path })
  await storage.append(submitSample({ id: "t" }).append)
  await storage.close()
  const database = new DatabaseSync(join(folder.path, "safelight.db"))
  return {
    ...folder,
    database,
    async [Symbol.asyncDispose]() {
      database.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** As Kysely takes a database of another library. */
function toKysely(database: DatabaseSync): Kysely<unknown> {
  const foreign: SqliteDatabase = {
    close: () => undefined,
    prepare(sql) {
      const statement = database.prepare(sql)
      const all = (parameters: readonly unknown[]) => statement.all(...(parameters as string[]))
      const run = (parameters: readonly unknown[]) => statement.run(...(parameters as string[]))
      const iterate = (parameters: readonly unknown[]) =>
        statement.iterate(...(parameters as string[]))
      return { reader: statement.columns().length > 0, all, run, iterate }
    },
  }
  return new Kysely<unknown>({ dialect: new SqliteDialect({ database: foreign }) })
}

function readCompatibility(database: DatabaseSync): unknown {
  const row = database.prepare("select * from compatibility").get()
  return [row?.["schema_version"], row?.["oldest_code_version"]]
}

function hasNotes(database: DatabaseSync): boolean {
  const found = database.prepare("select 1 from sqlite_master where name = 'notes'")
  return found.get() !== undefined
}

describe("a database of the schema before", () => {
  it("is brought to the next one by that migration alone, and says so", async () => {
    await using folder = await createFolder()
    const { database } = folder
    assert.deepEqual(readCompatibility(database), [SCHEMA_VERSION, OLDEST])
    const schema = toNext(addNotes, 1)
    await migrate(toKysely(database), { dialect, schema })
    assert.deepEqual(readCompatibility(database), [NEXT, 1])
    assert.ok(hasNotes(database))
    // Again there is nothing to do.
    await migrate(toKysely(database), { dialect, schema })
    assert.deepEqual(readCompatibility(database), [NEXT, 1])
  })

  it("serves this code on where the next one allows it", async () => {
    await using folder = await createFolder()
    await migrate(toKysely(folder.database), { dialect, schema: toNext(addNotes, 1) })
    const storage = await createSqliteStorage({ folder: folder.path })
    assert.equal((await storage.readTask("t"))?.task.version, 1)
    await storage.close()
    assert.deepEqual(readCompatibility(folder.database), [NEXT, 1])
  })

  it("is closed to this code where the next one needs newer code", async () => {
    await using folder = await createFolder()
    await migrate(toKysely(folder.database), { dialect, schema: toNext(addNotes, NEXT) })
    await assert.rejects(createSqliteStorage({ folder: folder.path }), {
      code: "schema-too-new",
      message: new RegExp(`has schema ${NEXT} .* this one knows ${SCHEMA_VERSION}`),
    })
  })

  it("is taken from code that may not use it any more only where none of that runs", async () => {
    await using folder = await createFolder()
    const { database } = folder
    const assertAlone = (): never => {
      throw new Error("somebody serves")
    }
    const refused = migrate(toKysely(database), {
      dialect,
      assertAlone,
      schema: toNext(addNotes, NEXT),
    })
    await assert.rejects(refused, /somebody serves/)
    assert.deepEqual(readCompatibility(database), [SCHEMA_VERSION, OLDEST])
    await migrate(toKysely(database), { dialect, assertAlone, schema: toNext(addNotes, 1) })
    assert.deepEqual(readCompatibility(database), [NEXT, 1])
  })

  it("stays as it is where its migration fails half-way", async () => {
    await using folder = await createFolder()
    const { database } = folder
    const schema = toNext(async (db) => {
      await addNotes(db, dialect)
      throw new Error("half-way")
    }, 1)
    database.exec("begin immediate")
    await assert.rejects(migrate(toKysely(database), { dialect, schema }), /half-way/)
    database.exec("rollback")
    assert.deepEqual(readCompatibility(database), [SCHEMA_VERSION, OLDEST])
    assert.ok(!hasNotes(database))
  })
})

describe("an older release that serves a folder", () => {
  it("keeps it from a command beside it that would migrate it", async () => {
    await using folder = await createFolder()
    // As the schema before the first would have it.
    folder.database.exec("update compatibility set schema_version = 0, oldest_code_version = 0")
    const lock = new DatabaseSync(join(folder.path, "serve.lock"))
    lock.exec("begin exclusive")
    await assert.rejects(createSqliteStorage({ folder: folder.path, mode: "beside" }), {
      code: "already-served",
      message: /restart the service/,
    })
    lock.close()
    assert.deepEqual(readCompatibility(folder.database), [0, 0])
  })
})
