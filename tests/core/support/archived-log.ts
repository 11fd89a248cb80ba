/** A signed log in a database with its artifacts, some of whose tasks may be archived. */
import assert from "node:assert/strict"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { createFilesystemArtifacts } from "@safelight/artifacts-filesystem"
import {
  archiveTasks,
  createArchiveReader,
  createAudit,
  exportStreams,
  type ArchiveOptions,
  type ArchiveReport,
} from "@safelight/audit"
import { DEFAULT_PRICES, MODELS, type ArtifactStorage, type Storage } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { hashTile, readSignedLeaves, signStorage } from "../../support/signed-storage.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { createSampleLog } from "./sample-log.ts"
import { sha256 as digest } from "./sha256.ts"
import { NOW, toAppend, toTaskId } from "./transfer-source.ts"

/** Of the ten sample tasks: they have ended, and nothing of them is due. */
export const ENDED = ["2", "3", "4", "9"].map(toTaskId)

/** An empty database, opened by one process after the other. */
export interface ArchivedDatabase extends AsyncDisposable {
  open(): Promise<Storage>
  /** The tasks whose events it has, by id. */
  listEventTasks(): Promise<readonly string[]>
}

export interface ArchivedLog extends AsyncDisposable, Pick<ArchivedDatabase, "listEventTasks"> {
  /** Of the artifacts. */
  readonly folder: string
  storage: Storage
  readonly artifacts: Required<ArtifactStorage>
  /** The signed note. */
  readonly note: string
  archive(options?: Partial<ArchiveOptions>): Promise<ArchiveReport>
  /** The log as a transfer carries it. */
  readLines(): Promise<readonly string[]>
  /** Closes the storage and opens it again. */
  reopen(): Promise<void>
}

export async function openSqliteDatabase(): Promise<ArchivedDatabase> {
  const folder = await createTemporaryFolder()
  return {
    open: () => createSqliteStorage({ folder: folder.path }),
    async listEventTasks() {
      const database = new DatabaseSync(join(folder.path, "safelight.db"), { readOnly: true })
      try {
        const rows = database.prepare("select distinct task from events order by task").all()
        return rows.map(({ task }) => String(task))
      } finally {
        database.close()
      }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

export async function createArchivedLog(openDatabase = openSqliteDatabase): Promise<ArchivedLog> {
  await using opened = new AsyncDisposableStack()
  const { path: folder } = opened.use(await createTemporaryFolder())
  const database = opened.use(await openDatabase())
  const artifacts = createFilesystemArtifacts({ folder })
  let storage = await database.open()
  opened.defer(() => storage.close())
  for (const account of ["ann", "ben"])
    await storage.setAccount({ id: account, now: 1, settings: {} })
  for (const stream of createSampleLog(toTaskId).streams) await storage.append(toAppend(stream))
  const note = await signStorage(storage)
  storage.useArchive(createArchiveReader({ artifacts, digest, hashTile }))

  const places = opened.move()
  return {
    folder,
    listEventTasks: () => database.listEventTasks(),
    get storage() {
      return storage
    },
    artifacts,
    note,
    archive: async (options) =>
      archiveTasks({
        storage,
        artifacts,
        digest,
        now: NOW,
        finishedBefore: NOW,
        checkpoint: note,
        readLeaves: await readSignedLeaves(storage),
        ...options,
      }),
    async readLines() {
      const lines: string[] = []
      const options = { storage, digest, now: NOW, isSealed: true }
      for await (const line of exportStreams(options)) lines.push(line)
      return lines
    },
    async reopen() {
      await storage.close()
      storage = await database.open()
      storage.useArchive(createArchiveReader({ artifacts, digest, hashTile }))
    },
    [Symbol.asyncDispose]: () => places.disposeAsync(),
  }
}

/** Asserts that every chain, row and charge is right. */
export async function assertAudited(storage: Storage): Promise<void> {
  const audit = createAudit({ storage, digest, prices: DEFAULT_PRICES, models: MODELS })
  for (const report of [await audit.verify(), await audit.replay()]) {
    assert.deepEqual([report.outcome, report.findings], ["whole", []])
  }
}
