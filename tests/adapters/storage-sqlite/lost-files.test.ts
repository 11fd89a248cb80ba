/** Files that go missing from a folder, before it is opened and while it is served. */
import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, it } from "node:test"
import { createSqliteStorage, type SqliteStorageOptions } from "@safelight/storage-sqlite"
import { submitSample } from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { open } from "./open.ts"

const CHILD = join(import.meta.dirname, "appending-process.ts")
const MODES = ["serve", "beside", "alone"] as const

describe("a folder that lacks a part of its database", () => {
  for (const [name, remove] of [
    ["missing", (file: string) => rmSync(file)],
    ["empty", (file: string) => truncateSync(file)],
  ] as const) {
    it(`is refused where the database is ${name} beside its log, and is left as it is`, async () => {
      await using folder = await createTemporaryFolder()
      await appendAndKill(folder.path)
      remove(join(folder.path, "safelight.db"))
      const before = listSizes(folder.path)
      await assertRefused(folder.path, /^safelight\.db is missing or empty, but safelight\.db-wal/)
      assert.deepEqual(listSizes(folder.path), before)
    })
  }

  it("is refused where the log is gone that a killed service left, until that is said", async () => {
    await using folder = await createTemporaryFolder()
    await appendAndKill(folder.path)
    rmSync(join(folder.path, "safelight.db-wal"))
    await assertRefused(folder.path, /^safelight\.db-wal is missing, and with it/)
    rmSync(join(folder.path, "safelight.db-shm"))
    await (await createSqliteStorage({ folder: folder.path })).close()
  })

  it("is refused to a service where it has artifacts and never had a task", async () => {
    await using folder = await createTemporaryFolder()
    mkdirSync(join(folder.path, "artifacts", ".incoming"), { recursive: true })
    writeFileSync(join(folder.path, "artifacts", ".mark"), "mark")
    await (await createSqliteStorage({ folder: folder.path })).close()
    const place = join(folder.path, "artifacts", "3f", "task", "image_1")
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, "random"), "bytes")
    await assertRefused(folder.path, /^the database holds no task, but the folder artifacts/, [
      "serve",
    ])
    const beside = await createSqliteStorage({ folder: folder.path, mode: "beside" })
    await beside.append(submitSample({ id: "t" }).append)
    await beside.close()
    await (await createSqliteStorage({ folder: folder.path })).close()
  })
})

describe("a database whose files are taken away while it is served", () => {
  for (const name of ["safelight.db", "safelight.db-wal"]) {
    it(`takes no writes while ${name} is gone, and goes on once it is back`, async () => {
      await using folder = await createTemporaryFolder()
      const storage = await createSqliteStorage({ folder: folder.path })
      await storage.append(submitSample({ id: "before" }).append)
      const file = join(folder.path, name)
      renameSync(file, `${file}.away`)
      const refusal = {
        code: "storage-unavailable",
        retryable: true,
        isUndone: true,
        message: new RegExp(`^${name} was deleted or replaced while it is in use: `),
      }
      await assert.rejects(storage.append(submitSample({ id: "gone" }).append), refusal)
      await assert.rejects(storage.admit({ append: submitSample({ id: "gone" }).append }), refusal)
      await assert.rejects(storage.check(), refusal)
      assert.equal((await storage.readTask("before"))?.task.version, 1)
      // A copy is another file, as what somebody restores under a running service is.
      copyFileSync(`${file}.away`, file)
      await assert.rejects(storage.check(), refusal)
      renameSync(`${file}.away`, file)
      await storage.check()
      await storage.append(submitSample({ id: "after" }).append)
      await storage.close()
      const next = await createSqliteStorage({ folder: folder.path })
      const found = ["before", "gone", "after"].map((id) => next.readTask(id))
      assert.deepEqual(
        (await Promise.all(found)).map((head) => head?.task.version),
        [1, undefined, 1],
      )
      await next.close()
    })
  }

  it("takes no writes while its files can't be looked at, and goes on once they can", async () => {
    await using parent = await createTemporaryFolder()
    const folder = join(parent.path, "data")
    const storage = await createSqliteStorage({ folder })
    await storage.append(submitSample({ id: "before" }).append)
    renameSync(folder, `${folder}.away`)
    // A link that leads to itself: the system gives an error, and not that nothing is there.
    symlinkSync(folder, folder)
    const message = "the database's files can't be looked at (ELOOP)"
    const refusal = { code: "storage-unavailable", retryable: true, isUndone: true, message }
    await assert.rejects(storage.append(submitSample({ id: "unseen" }).append), refusal)
    await assert.rejects(storage.admit({ append: submitSample({ id: "unseen" }).append }), refusal)
    await assert.rejects(storage.check(), refusal)
    unlinkSync(folder)
    renameSync(`${folder}.away`, folder)
    await storage.append(submitSample({ id: "after" }).append)
    assert.equal(await storage.readTask("unseen"), undefined)
    await storage.close()
  })

  it("acknowledges nothing once its folder is deleted", async () => {
    await using opened = await open({})
    const { storage } = opened
    await storage.append(submitSample({ id: "before" }).append)
    const folder = join(String(opened.connect().location()), "..")
    rmSync(folder, { recursive: true })
    const append = submitSample({ id: "later" }).append
    await assert.rejects(storage.append(append), { code: "storage-unavailable" })
    await assert.rejects(storage.check(), { code: "storage-unavailable" })
  })
})

/** Leaves a folder as a kill leaves it: with a log that holds what was stored. */
async function appendAndKill(folder: string): Promise<void> {
  const child = spawn(process.execPath, ["--conditions=@safelight/source", CHILD, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  const exited = once(child, "exit")
  await once(child.stdout, "data")
  child.kill("SIGKILL")
  await exited
}

async function assertRefused(
  folder: string,
  message: RegExp,
  modes: readonly SqliteStorageOptions["mode"][] = MODES,
): Promise<void> {
  for (const mode of modes) {
    const opened = createSqliteStorage({ folder, ...(mode && { mode }) })
    await assert.rejects(opened, { code: "storage-corrupt", message })
  }
}

function listSizes(folder: string): (readonly [string, number])[] {
  const names = readdirSync(folder).toSorted()
  return names.map((name) => [name, statSync(join(folder, name)).size])
}
