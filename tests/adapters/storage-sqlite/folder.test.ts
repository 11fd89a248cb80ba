/** Who may open a folder, when, and what is said where that can't be. */
import assert from "node:assert/strict"
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, it } from "node:test"
import {
  isSafelightError,
  SILENT_LOG,
  type SafelightErrorCode,
  type Storage,
} from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { SCHEMA_VERSION } from "@safelight/store"
import { submitSample } from "@safelight/testkit"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { FACTS } from "../../support/lease-facts.ts"

const HELD = {
  kind: "enqueue",
  dueAt: 1_000,
  endBy: 9_000,
  lease: "held",
  startTag: null,
} as const

const TAKE = { models: ["model-a"], now: 1_000, limit: 9, lease: "next" }

const HAS_MODES = process.platform === "win32" ? "Windows has no such modes" : false

describe("a folder that is served", () => {
  it("is refused to a second service, until the first one closes", async () => {
    await using folder = await createTemporaryFolder()
    const first = await createSqliteStorage({ folder: folder.path })
    await rejectsWith(createSqliteStorage({ folder: folder.path }), "already-served")
    await first.append(submitSample({ id: "t" }).append)
    await rejectsWith(createSqliteStorage({ folder: folder.path }), "already-served")
    await first.close()
    const second = await createSqliteStorage({ folder: folder.path })
    assert.equal((await second.readTask("t"))?.task.version, 1)
    await second.close()
  })

  it("is refused to another process", async () => {
    await using folder = await createTemporaryFolder()
    const storage = await createSqliteStorage({ folder: folder.path })
    const program = `
      import { createSqliteStorage } from "@safelight/storage-sqlite"
      await createSqliteStorage({ folder: ${JSON.stringify(folder.path)} }).catch((error) => {
        console.log(error.code)
      })`
    const flags = ["--conditions=@safelight/source", "--input-type=module", "--eval", program]
    const other = spawnSync(process.execPath, flags, {
      cwd: import.meta.dirname,
      encoding: "utf8",
    })
    assert.equal(other.stdout.trim(), "already-served", other.stderr)
    await storage.close()
  })

  it("may be worked on beside the service, and each sees what the other stored", async () => {
    await using folder = await createTemporaryFolder()
    const serving = await createSqliteStorage({ folder: folder.path })
    const beside = await createSqliteStorage({ folder: folder.path, mode: "beside" })
    const samples = Array.from({ length: 40 }, (_, index) => submitSample({ id: `t${index}` }))
    await Promise.all(
      samples.map(({ append }, index) => (index % 2 === 0 ? serving : beside).append(append)),
    )
    for (const { head } of samples) {
      assert.deepEqual(await serving.readTask(head.task.id), head)
      assert.deepEqual(await beside.readTask(head.task.id), head)
    }
    await serving.close()
    await beside.check()
    await beside.close()
  })

  it("keeps its leases while others work beside it; the next service ends them", async () => {
    await using folder = await createTemporaryFolder()
    const serving = await createSqliteStorage({ folder: folder.path })
    await serving.append(submitSample({ id: "t", queue: HELD }).append)
    const beside = await createSqliteStorage({ folder: folder.path, mode: "beside" })
    await serving.heartbeat({ lease: "held", heartbeats: 1, facts: FACTS })
    assert.deepEqual(await beside.take(TAKE), [])
    assert.deepEqual(await beside.listLeases(), [{ lease: "held", heartbeats: 1, facts: FACTS }])
    await beside.close()
    await serving.close()
    const next = await createSqliteStorage({ folder: folder.path })
    assert.deepEqual(await next.listLeases(), [])
    assert.equal((await next.take(TAKE)).length, 1)
    await next.close()
  })
})

describe("a folder that is opened", () => {
  it("is made where it is missing, for its owner alone", async () => {
    await using parent = await createTemporaryFolder()
    const folder = join(parent.path, "a", "b")
    const storage = await createSqliteStorage({ folder })
    await storage.append(submitSample({ id: "t" }).append)
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    const names = readdirSync(folder).toSorted()
    assert.deepEqual(names, ["safelight.db", "safelight.db-shm", "safelight.db-wal", "serve.lock"])
    for (const name of names) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name)
    await storage.close()
    assert.deepEqual(readdirSync(folder).toSorted(), ["safelight.db", "serve.lock"])
  })

  it("is warned of where others may read or change it", { skip: HAS_MODES }, async () => {
    await using parent = await createTemporaryFolder()
    const folder = join(parent.path, "data")
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    const warned: Readonly<Record<string, unknown>>[] = []
    const log = {
      ...SILENT_LOG,
      warn: (fields: (typeof warned)[number]) => void warned.push(fields),
    }
    await (await createSqliteStorage({ folder, log })).close()
    chmodSync(join(folder, "safelight.db"), 0o664)
    await (await createSqliteStorage({ folder, log })).close()
    const database = join(folder, "safelight.db")
    const told = warned.map(({ open }) => open)
    assert.deepEqual(told, [[`${folder} (0777)`], [`${folder} (0777)`, `${database} (0664)`]])
    chmodSync(folder, 0o755)
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o600)
    await (await createSqliteStorage({ folder, log })).close()
    assert.deepEqual(warned.slice(2), [])
  })

  it("stays the same where the host changes its working directory", async () => {
    await using parent = await createTemporaryFolder()
    const before = process.cwd()
    process.chdir(parent.path)
    try {
      const storage = await createSqliteStorage({ folder: "data" })
      process.chdir(before)
      await storage.append(submitSample({ id: "t" }).append)
      assert.equal((await storage.scan({ after: "", limit: 1 })).streams.length, 1)
      await storage.check()
      await storage.close()
    } finally {
      process.chdir(before)
    }
    assert.deepEqual(readdirSync(join(parent.path, "data")), ["safelight.db", "serve.lock"])
  })

  it("is migrated once by those who come together", async () => {
    await using folder = await createTemporaryFolder()
    const storages = await Promise.all(
      Array.from({ length: 4 }, () => createSqliteStorage({ folder: folder.path, mode: "beside" })),
    )
    await Promise.all(storages.map((storage) => storage.check()))
    await Promise.all(storages.map((storage) => storage.close()))
  })

  it("is refused where nothing can be made, however far up that is", async () => {
    for (const folder of ["/proc/safelight", "/proc/safelight/a/b"]) {
      await assert.rejects(createSqliteStorage({ folder }), { code: "invalid-configuration" })
    }
  })

  it("is refused where it can't be written", async () => {
    await using parent = await createTemporaryFolder()
    const file = join(parent.path, "file")
    writeFileSync(file, "")
    await rejectsWith(createSqliteStorage({ folder: file }), "invalid-configuration")
    await rejectsWith(createSqliteStorage({ folder: join(file, "x") }), "invalid-configuration")
  })

  it("is refused where its file is no database, or a damaged one", async () => {
    for (const damage of [writeText, wipeBehindHeader]) {
      await using folder = await createTemporaryFolder()
      const storage = await createSqliteStorage({ folder: folder.path })
      await storage.append(submitSample({ id: "t" }).append)
      await storage.close()
      damage(join(folder.path, "safelight.db"))
      for (const mode of ["serve", "beside"] as const) {
        await rejectsWith(createSqliteStorage({ folder: folder.path, mode }), "storage-corrupt")
      }
    }
  })

  it("is refused to code that is too old for it, and nothing is changed", async () => {
    await using folder = await createTemporaryFolder()
    await writeCompatibility(folder.path, {
      schema: SCHEMA_VERSION + 2,
      oldest: SCHEMA_VERSION + 1,
    })
    await rejectsWith(createSqliteStorage({ folder: folder.path }), "schema-too-new")
    await rejectsWith(
      createSqliteStorage({ folder: folder.path, mode: "beside" }),
      "schema-too-new",
    )
    assert.equal(readSchemaVersion(folder.path), SCHEMA_VERSION + 2)
  })

  it("is used as it is where a newer schema still allows this code", async () => {
    await using folder = await createTemporaryFolder()
    await writeCompatibility(folder.path, { schema: SCHEMA_VERSION + 2, oldest: SCHEMA_VERSION })
    const storage = await createSqliteStorage({ folder: folder.path })
    await storage.append(submitSample({ id: "t" }).append)
    assert.equal((await storage.readTask("t"))?.task.version, 1)
    await storage.close()
    assert.equal(readSchemaVersion(folder.path), SCHEMA_VERSION + 2)
  })

  it("is refused with a setting that is wrong", async () => {
    await using folder = await createTemporaryFolder()
    const wrong = [{ folder: "" }, { busyTimeoutMs: -1 }, { maxFileBytes: 0.5 }]
    for (const options of wrong) {
      const opened = createSqliteStorage({ folder: folder.path, ...options })
      await rejectsWith(opened, "invalid-configuration")
    }
    assert.deepEqual(readdirSync(folder.path), [])
  })
})

function rejectsWith(opened: Promise<Storage>, code: SafelightErrorCode): Promise<void> {
  return assert.rejects(opened, (error) => {
    assert.ok(isSafelightError(error), String(error))
    assert.equal(error.code, code, error.message)
    return true
  })
}

function writeText(file: string): void {
  writeFileSync(file, "not a database, but as long as one has to be\n".repeat(300))
}

/** Leaves the header of 100 bytes, which says that this is SQLite's, and overwrites the rest. */
function wipeBehindHeader(file: string): void {
  const bytes = readFileSync(file)
  writeFileSync(file, bytes.fill(0xff, 100))
}

async function writeCompatibility(
  folder: string,
  { schema, oldest }: { readonly schema: number; readonly oldest: number },
): Promise<void> {
  await (await createSqliteStorage({ folder })).close()
  const database = new DatabaseSync(join(folder, "safelight.db"))
  database
    .prepare("update compatibility set schema_version = ?, oldest_code_version = ?")
    .run(schema, oldest)
  database.close()
}

function readSchemaVersion(folder: string): unknown {
  const database = new DatabaseSync(join(folder, "safelight.db"))
  const row = database.prepare("select schema_version from compatibility").get()
  database.close()
  return row?.["schema_version"]
}
