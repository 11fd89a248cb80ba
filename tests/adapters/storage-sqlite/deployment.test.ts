/**
 * Whether a data folder is the one that was recorded, or a copy. The folder is copied and renamed as an
 * operator would do it; what other file systems tell of a file is put in place of what this one does.
 */
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import fs from "node:fs"
import { cp, rename, rm } from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it, type TestContext } from "node:test"
import type { DatabaseStanding, Storage } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

describe("a data folder", () => {
  it("is the original after a restart and a rename, with other commands beside it", async () => {
    await using place = await createTemporaryFolder()
    const [first, second] = [join(place.path, "first"), join(place.path, "second")]
    await withStorage(first, record)
    assert.equal(await withStorage(first, readStanding), "original")
    await rename(first, second)
    assert.equal(await withStorage(second, readStanding), "original")
    const beside = await createSqliteStorage({ folder: second, mode: "beside" })
    assert.equal(await readStanding(beside), "original")
    await beside.close()
  })

  it("is a copy where it was copied, however, and stays one until it is recorded", async () => {
    await using place = await createTemporaryFolder()
    const original = join(place.path, "original")
    await withStorage(original, record)
    const copies = ["cp", "cp -a", "restored", "vacuumed"].map((name) => join(place.path, name))
    const [copied = "", archived = "", restored = "", vacuumed = ""] = copies
    await cp(original, copied, { recursive: true })
    execFileSync("cp", ["-a", original, archived])
    const packed = join(place.path, "backup.tar")
    execFileSync("tar", ["-cf", packed, "-C", original, "."])
    fs.mkdirSync(restored)
    execFileSync("tar", ["-xf", packed, "-C", restored])
    fs.mkdirSync(vacuumed)
    const database = new DatabaseSync(join(original, "safelight.db"))
    database.exec(`vacuum into '${join(vacuumed, "safelight.db")}'`)
    database.close()
    for (const copy of copies) {
      assert.equal(await withStorage(copy, readStanding), "copied", copy)
      assert.equal(await withStorage(copy, readStanding), "copied", copy)
      await withStorage(copy, record)
      assert.equal(await withStorage(copy, readStanding), "original", copy)
    }
    assert.equal(await withStorage(original, readStanding), "original")
    // As a restore over what was there.
    await rm(join(original, "safelight.db"))
    await cp(join(copied, "safelight.db"), join(original, "safelight.db"))
    assert.equal(await withStorage(original, readStanding), "copied")
  })

  it("is the original where the volume got another device number", async (t) => {
    await using folder = await createTemporaryFolder()
    await withStorage(folder.path, record)
    showing(t, (status) => ({ dev: status.dev + 7n }))
    assert.equal(await withStorage(folder.path, readStanding), "original")
  })

  it("is told by its number alone where the file system keeps no birth time", async (t) => {
    await using folder = await createTemporaryFolder()
    showing(t, () => ({ birthtimeNs: 0n }))
    await withStorage(folder.path, record)
    assert.equal(await withStorage(folder.path, readStanding), "original")
    showing(t, ({ ino }) => ({ birthtimeNs: 0n, ino: ino + 1n }))
    assert.equal(await withStorage(folder.path, readStanding), "copied")
  })

  it("is a copy where a file has its number by accident, and was born at another moment", async (t) => {
    await using folder = await createTemporaryFolder()
    await withStorage(folder.path, record)
    showing(t, ({ birthtimeNs }) => ({ birthtimeNs: birthtimeNs + 1n }))
    assert.equal(await withStorage(folder.path, readStanding), "copied")
  })

  it("is the original where a file system shows the last change as the birth time", async (t) => {
    await using folder = await createTemporaryFolder()
    let changes = 0n
    showing(t, ({ ctimeNs }) => {
      changes += 1n
      return { ctimeNs: ctimeNs + changes, birthtimeNs: ctimeNs + changes }
    })
    await withStorage(folder.path, record)
    assert.equal(await withStorage(folder.path, readStanding), "original")
  })
})

async function withStorage<Result>(
  folder: string,
  use: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const storage = await createSqliteStorage({ folder })
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

async function record(storage: Storage): Promise<void> {
  const { revision } = await storage.readDeployment()
  assert.ok(await storage.recordDeployment({ revision, artifactsMark: null, adoptedAt: 0 }))
}

async function readStanding(storage: Storage): Promise<DatabaseStanding> {
  return (await storage.readDeployment()).standing
}

/** Has the file system tell something else of every file, until the test ends or it is called again. */
function showing(
  t: TestContext,
  toShown: (status: fs.BigIntStats) => Partial<fs.BigIntStats>,
): void {
  t.mock.restoreAll()
  const { statSync } = fs
  t.mock.method(fs, "statSync", (path: string, options: { bigint: true }) => {
    const status = statSync(path, options)
    return options?.bigint ? Object.assign(status, toShown(status)) : status
  })
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
}
