/** A folder that can be read and not written, as a snapshot that is mounted to be audited. */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { hash } from "node:crypto"
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "node:test"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { submitSample } from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

const CHILD = join(import.meta.dirname, "read-only-process.ts")
const FLAGS = ["--conditions=@safelight/source", CHILD]
/** Root may write everything, whatever its mode is; nobody in particular may not. */
const STRANGER = process.geteuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const FOUND = {
  version: 1,
  scanned: [["t", 1]],
  keys: 0,
  charges: 0,
  write: "storage-unavailable: nothing can be written: the database was opened to be read",
}

describe("a folder that can't be written", { skip: findReason() }, () => {
  it("is read beside, as it was closed, and nothing is made in it", async () => {
    await using folder = await createFolder()
    assert.deepEqual(tell(folder.path).beside, FOUND)
  })

  it("is read beside, as a copy of all files of a service that was running", async () => {
    await using folder = await createTemporaryFolder()
    await using copy = await createTemporaryFolder()
    const storage = await createSqliteStorage({ folder: folder.path })
    await storage.append(submitSample({ id: "t" }).append)
    cpSync(folder.path, copy.path, { recursive: true })
    await storage.close()
    assert.deepEqual(tell(copy.path).beside, FOUND)
    rmSync(join(copy.path, "safelight.db-shm"))
    assert.match(
      String(tell(copy.path).beside),
      /^invalid-configuration: .*without safelight\.db-shm: copy all/,
    )
  })

  it("is read beside, as a copy of all files of a service that had not written yet", async () => {
    await using folder = await createFolder()
    await using copy = await createTemporaryFolder()
    const storage = await createSqliteStorage({ folder: folder.path })
    await storage.readTask("t")
    cpSync(folder.path, copy.path, { recursive: true })
    await storage.close()
    assert.deepEqual(tell(copy.path).beside, FOUND)
  })

  it("is refused to a service", async () => {
    await using folder = await createFolder()
    assert.match(
      tell(folder.path).serving,
      /^invalid-configuration: the data folder can't be written/,
    )
  })

  it("is refused where its database is an older release's", async () => {
    await using folder = await createFolder()
    const database = new DatabaseSync(join(folder.path, "safelight.db"))
    // As the schema before the first would have it.
    database.exec("alter table events rename to older_events")
    database.exec("update compatibility set schema_version = 0, oldest_code_version = 0")
    database.close()
    assert.match(
      String(tell(folder.path).beside),
      /^invalid-configuration: the database is an older release's, with schema 0, .*: let it migrate a copy/,
    )
  })
})

describe("a folder that could be written, opened to be read", () => {
  it("is read and not written, closed or as a copy of a service that was running", async () => {
    await using folder = await createTemporaryFolder()
    await using copy = await createTemporaryFolder()
    const storage = await createSqliteStorage({ folder: folder.path })
    await storage.append(submitSample({ id: "t" }).append)
    cpSync(folder.path, copy.path, { recursive: true })
    // As a copy has it of which somebody thought that the index does not matter.
    rmSync(join(copy.path, "safelight.db-shm"))
    const beside = await readAlone(folder.path)
    await storage.close()
    assert.deepEqual(beside, FOUND.scanned)
    assert.deepEqual([await readAlone(folder.path), await readAlone(copy.path)], [beside, beside])
  })

  it("is refused where its database is an older release's, or there is none", async () => {
    await using folder = await createFolder()
    const database = new DatabaseSync(join(folder.path, "safelight.db"))
    database.exec("update compatibility set schema_version = 5, oldest_code_version = 5")
    database.close()
    const before = digestFiles(folder.path)
    const code = "invalid-configuration"
    const message = /an older release's, with schema 5/
    await assert.rejects(readAlone(folder.path), { code, message })
    assert.deepEqual(digestFiles(folder.path), before)
    await using empty = await createTemporaryFolder()
    await assert.rejects(readAlone(empty.path), { code, message: /there is no safelight\.db in / })
    assert.deepEqual(readdirSync(empty.path), [])
  })
})

/** What it has; the database and its log must be as they were. */
async function readAlone(folder: string): Promise<readonly unknown[]> {
  const before = digestFiles(folder)
  const storage = await createSqliteStorage({ folder, mode: "read" })
  try {
    const { streams } = await storage.scan({ after: "", limit: 10 })
    await assert.rejects(storage.append(submitSample({ id: "u" }).append), {
      code: "storage-unavailable",
    })
    return streams.map(({ id, events }) => [id, events.length])
  } finally {
    await storage.close()
    assert.deepEqual(digestFiles(folder), before)
  }
}

function digestFiles(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder).filter((name) => !name.endsWith("-shm"))
  return new Map(names.map((name) => [name, hash("sha256", readFileSync(join(folder, name)))]))
}

/** With one task, as a service left it. */
async function createFolder() {
  const folder = await createTemporaryFolder()
  const storage = await createSqliteStorage({ folder: folder.path })
  await storage.append(submitSample({ id: "t" }).append)
  await storage.close()
  return folder
}

interface Told {
  /** What a service hears. */
  readonly serving: string
  /** What is found beside one, or why it can't be looked for. */
  readonly beside: unknown
}

/** What a process finds that may write nothing in the folder; it must have left it as it is. */
function tell(folder: string): Told {
  const before = readdirSync(folder)
  setModes(folder, 0o555, 0o444)
  const other = spawnSync(process.execPath, [...FLAGS, folder], { ...STRANGER, encoding: "utf8" })
  setModes(folder, 0o755, 0o644)
  assert.equal(other.status, 0, other.stderr)
  assert.deepEqual(readdirSync(folder), before)
  return JSON.parse(other.stdout) as Told
}

function setModes(folder: string, ofFolder: number, ofFiles: number): void {
  for (const name of readdirSync(folder)) chmodSync(join(folder, name), ofFiles)
  chmodSync(folder, ofFolder)
}

function findReason(): string | false {
  if (process.platform === "win32") return "Windows has no such modes"
  const look = ["--eval", `require("node:fs").readFileSync(${JSON.stringify(CHILD)})`]
  const { status } = spawnSync(process.execPath, look, STRANGER)
  return status === 0 ? false : "root's tests, and nobody else may enter the folder of the clone"
}
