/** A data folder of the first release, opened by this one. */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "node:test"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { readBaseline, unpack } from "../store/baseline/baseline.ts"
import { assertSound, describeBaseline } from "../store/baseline/describe-baseline.ts"

const baseline = await readBaseline("sqlite")
const open = (folder: string) => createSqliteStorage({ folder })

describeBaseline("SQLite", { baseline, open, openEmpty: open })

/** Everything that makes up a schema, as SQLite keeps it. */
function readSchema(folder: string): readonly unknown[] {
  const database = new DatabaseSync(join(folder, "safelight.db"))
  try {
    const parts = "select type, name, tbl_name, sql from sqlite_master order by type, name"
    const version = "select schema_version, oldest_code_version from compatibility"
    return [...database.prepare(parts).all(), ...database.prepare(version).all()]
  } finally {
    database.close()
  }
}

describe("the schema of the first release on SQLite", () => {
  it("becomes by its migrations the schema that a new database has", async () => {
    await using old = await createTemporaryFolder()
    await using fresh = await createTemporaryFolder()
    await unpack(baseline, old.path)
    for (const { path } of [old, fresh]) await (await open(path)).close()
    assert.deepEqual(readSchema(old.path), readSchema(fresh.path))
  })

  it("is the old one or the new one, and never between, wherever its migration is killed", async () => {
    await using untouched = await createTemporaryFolder()
    await unpack(baseline, untouched.path)
    const before = readSchema(untouched.path)
    await (await createSqliteStorage({ folder: untouched.path, mode: "alone" })).close()
    const after = readSchema(untouched.path)
    let kills = 0
    for (let nth = 1; ; nth += 1) {
      if (!(await isKilledAt(nth, before, after))) break
      kills += 1
    }
    assert.ok(kills > 5, `${kills} statements`)
  })
})

/** Whether a process was killed at its n-th statement; what it left is looked at, and opened. */
async function isKilledAt(
  nth: number,
  before: readonly unknown[],
  after: readonly unknown[],
): Promise<boolean> {
  await using folder = await createTemporaryFolder()
  await unpack(baseline, folder.path)
  const file = join(import.meta.dirname, "killed-migration.ts")
  const flags = ["--conditions=@safelight/source", file, folder.path, String(nth)]
  const { signal, status, stderr } = spawnSync(process.execPath, flags, { encoding: "utf8" })
  assert.ok(signal === "SIGKILL" || status === 0, stderr)
  const left = readSchema(folder.path)
  assert.deepEqual(left, JSON.stringify(left) === JSON.stringify(before) ? before : after)
  const storage = await open(folder.path)
  await assertSound(storage)
  await storage.close()
  assert.deepEqual(readSchema(folder.path), after)
  return signal === "SIGKILL"
}

describe("a data folder from before the first release", () => {
  it("is refused, with what it is and what can be done", async () => {
    const file = join(import.meta.dirname, "../store/baseline/earlier-layouts.json")
    const layouts = JSON.parse(await readFile(file, "utf8")) as Record<string, readonly string[]>
    const told: string[] = []
    for (const [commit, statements] of Object.entries(layouts)) {
      await using folder = await createTemporaryFolder()
      const database = new DatabaseSync(join(folder.path, "safelight.db"))
      for (const sql of statements) database.exec(sql)
      database.close()
      const before = readSchema(folder.path)
      for (const mode of ["serve", "beside"] as const) {
        await assert.rejects(createSqliteStorage({ folder: folder.path, mode }), (error: Error) => {
          told.push(`${commit} ${/schema \d/.exec(error.message)?.[0]}`)
          assert.match(error.message, /made by code from before the first release.* empty folder/)
          return true
        })
      }
      assert.deepEqual(readSchema(folder.path), before)
    }
    assert.deepEqual(told, [
      "7d881bcb schema 5",
      "7d881bcb schema 5",
      "51f73049 schema 9",
      "51f73049 schema 9",
      "335b9a06 schema 1",
      "335b9a06 schema 1",
      "1ff703e7 schema 1",
      "1ff703e7 schema 1",
    ])
  })
})
