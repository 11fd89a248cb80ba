/**
 * The locks of a folder that is served, as the operating system lists them. POSIX gives up every
 * lock that a process has on a file as soon as it closes any descriptor of that file, and SQLite
 * doesn't notice: so whatever else this process does, the list must stay as it was.
 */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import type { Storage } from "@safelight/core"
import { createSqliteStorage, type SqliteStorageOptions } from "@safelight/storage-sqlite"
import { submitSample } from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"

const LISTED = existsSync("/proc/locks") ? {} : { skip: "only Linux lists locks in /proc/locks" }

/** Every way in which one process may come to a folder that it serves already. */
const SECOND_OPENS: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  "a second service, which is refused": (folder) => assertServedHere(folder, {}),
  "a second one that would hold the folder alone, which is refused": (folder) =>
    assertServedHere(folder, { mode: "alone" }),
  "a storage beside it": (folder) => openBeside(folder, async () => {}),
  "a storage beside it that writes": (folder) =>
    openBeside(folder, (storage) => storage.append(submitSample({ id: "beside" }).append)),
  "a storage beside it that reads as an audit or an export does": (folder) =>
    openBeside(folder, async (storage) => {
      await storage.scan({ after: "", limit: 100 })
      await storage.scanTotals()
      await storage.readSideRecords("t")
    }),
  "several at once": async (folder) => {
    const opens = Array.from({ length: 3 }, () => openBeside(folder, (storage) => storage.check()))
    await Promise.all([...opens, assertServedHere(folder, {})])
  },
}

describe("a folder that is served", LISTED, () => {
  for (const [name, open] of Object.entries(SECOND_OPENS)) {
    it(`keeps every lock under ${name}`, async () => {
      await using folder = await createTemporaryFolder()
      const serving = await createSqliteStorage({ folder: folder.path })
      await serving.append(submitSample({ id: "t" }).append)
      const before = listLocks(folder.path)
      assert.ok(
        before.some((lock) => lock.startsWith("serve.lock WRITE")),
        before.join("; "),
      )
      await open(folder.path)
      assert.deepEqual(listLocks(folder.path), before)
      await serving.close()
    })
  }

  it("is refused to another process, whatever this one opened again", async () => {
    await using folder = await createTemporaryFolder()
    const serving = await createSqliteStorage({ folder: folder.path })
    for (const open of Object.values(SECOND_OPENS)) await open(folder.path)
    assert.match(openElsewhere(folder.path), /^already-served another process serves/)
    await serving.close()
  })
})

async function openBeside(
  folder: string,
  use: (storage: Storage) => Promise<unknown>,
): Promise<void> {
  const storage = await createSqliteStorage({ folder, mode: "beside" })
  await use(storage)
  await storage.close()
}

function assertServedHere(folder: string, options: Partial<SqliteStorageOptions>): Promise<void> {
  return assert.rejects(createSqliteStorage({ folder, ...options }), {
    code: "already-served",
    message: /^this process has this data folder open already; /,
  })
}

/** This process's locks on the folder's files, without their numbers, which change. */
function listLocks(folder: string): string[] {
  const names = ["safelight.db", "safelight.db-shm", "serve.lock"]
  const nameOf = new Map(names.map((name) => [statSync(join(folder, name)).ino, name]))
  const listed = readFileSync("/proc/locks", "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, , , mode, pid, place = "", start, end] = line.trim().split(/\s+/)
      const name = nameOf.get(Number(place.split(":")[2]))
      return Number(pid) === process.pid && name !== undefined
        ? [`${name} ${mode} ${start} ${end}`]
        : []
    })
  // The file is read piece by piece: a lock is listed twice if another process locks something meanwhile.
  return [...new Set(listed)].toSorted()
}

/** What another process is told that would serve the folder. */
function openElsewhere(folder: string): string {
  const program = `
    import { createSqliteStorage } from "@safelight/storage-sqlite"
    const opened = createSqliteStorage({ folder: ${JSON.stringify(folder)} })
    console.log(await opened.then(() => "served", ({ code, message }) => code + " " + message))`
  const flags = ["--conditions=@safelight/source", "--input-type=module", "--eval", program]
  const other = spawnSync(process.execPath, flags, { cwd: import.meta.dirname, encoding: "utf8" })
  assert.equal(other.status, 0, other.stderr)
  return other.stdout.trim()
}
