/** A signed log in a database with its artifacts, some of whose tasks may be archived. */
import assert from "node:assert/strict"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
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
import { createLeafReader, signStorage } from "../../support/signed-storage.ts"
import { createTemporaryFolder } from "../../support/temporary-folder.ts"
import { createSampleLog } from "./sample-log.ts"
import { sha256 as digest } from "./sha256.ts"
import { NOW, toAppend, toTaskId } from "./transfer-source.ts"

/** Of the ten sample tasks: they have ended, and nothing of them is due. */
export const ENDED = ["2", "3", "4", "9"].map(toTaskId)

export interface ArchivedLog extends AsyncDisposable {
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

export async function createArchivedLog(): Promise<ArchivedLog> {
  const { path: folder, ...temporary } = await createTemporaryFolder()
  await mkdir(join(folder, "artifacts"))
  const artifacts = createFilesystemArtifacts({ folder: join(folder, "artifacts") })
  let storage = await createSqliteStorage({ folder })
  for (const account of ["ann", "ben"])
    await storage.setAccount({ id: account, now: 1, settings: {} })
  for (const stream of createSampleLog(toTaskId).streams) await storage.append(toAppend(stream))
  const note = await signStorage(storage)
  storage.useArchive(createArchiveReader({ artifacts: async () => artifacts }))

  const log: ArchivedLog = {
    folder,
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
        readLeaves: await createLeafReader(storage),
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
      storage = await createSqliteStorage({ folder })
      storage.useArchive(createArchiveReader({ artifacts: async () => artifacts }))
    },
    async [Symbol.asyncDispose]() {
      await storage.close()
      await temporary[Symbol.asyncDispose]()
    },
  }
  return log
}

/** Asserts that every chain, row and charge is right. */
export async function assertAudited(storage: Storage): Promise<void> {
  const audit = createAudit({ storage, digest, prices: DEFAULT_PRICES, models: MODELS })
  for (const report of [await audit.verify(), await audit.replay()]) {
    assert.deepEqual([report.outcome, report.findings], ["whole", []])
  }
}
