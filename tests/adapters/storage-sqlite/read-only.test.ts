/** A folder that can be read and not written, as a snapshot that is mounted to be audited. */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, readdirSync, rmSync } from "node:fs"
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
  write: "storage-unavailable: the data folder can't be written; it was opened to be read",
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
      /^invalid-configuration: the database is an older release's and can't be written: copy/,
    )
  })
})

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
