/**
 * `Storage` on SQLite: one file in one folder, one writing thread, one reading connection. Every write goes
 * through the writer, so writes are made in the order of the calls.
 */
import { SafelightError, SILENT_LOG, type Log, type Storage } from "@safelight/core"
import { createStorage, type Commit } from "@safelight/store"
import { DEFAULTS } from "./defaults.ts"
import { createDriver } from "./driver.ts"
import { toOpeningError } from "./storage-error.ts"
import {
  assertNotServed,
  findDatabase,
  findReadOnlyDatabase,
  lockForServing,
  prepareFolder,
} from "./folder.ts"
import { migrateFile } from "./migrate-file.ts"
import { assertReadable, createRefusingWriter, toReadOnlyLocation } from "./read-only.ts"
import { warnOfOthers } from "./open-modes.ts"
import { createChangeWriter, type ChangeWriter } from "./writer.ts"

export interface SqliteStorageOptions {
  /** Where the database lives; made where it is missing. One folder, one service. */
  readonly folder: string
  /**
   * `serve` (the default) holds the folder for the life of the storage and ends the leases of
   * the process before; `beside` is for commands that work next to a service, and only reads if the folder
   * can't be written; `alone` holds the folder too and serves nothing, so that it opens a database that is
   * sealed or partly imported; `read` only reads, also where it could write, and migrates nothing: for a copy that must
   * stay as it is. A service may run meanwhile, and is not started.
   */
  readonly mode?: "serve" | "beside" | "alone" | "read"
  readonly log?: Log
  /** How long a write waits for another process's, ms. */
  readonly busyTimeoutMs?: number
  /** Called with every batch of writes that was committed, or given up. */
  readonly onCommit?: (commit: Commit) => void
  /** Bound on the database file; past it writes reject with `storage-unavailable`. */
  readonly maxFileBytes?: number
}

/** SQLite's default, and what every database made here has. */
const PAGE_BYTES = 4_096

/**
 * Opens the database, made or migrated where need be. Rejects with `invalid-configuration` (a
 * wrong setting, a folder that can't be written), `already-served`, `in-transfer`, `schema-too-new`,
 * `storage-corrupt` (no database, a damaged one, or one of which a part is gone),
 * `storage-unavailable`.
 */
export async function createSqliteStorage(options: SqliteStorageOptions): Promise<Storage> {
  assertOptions(options)
  const { mode = "serve", log = SILENT_LOG } = options
  const readOnlyFile = findFileToRead(options)
  if (readOnlyFile !== undefined) return openToRead(options, readOnlyFile)
  const folder = await prepareFolder(options.folder)
  if (mode === "serve") warnOfOthers(folder, log)
  const unlock = mode === "beside" ? undefined : lockForServing(folder)
  try {
    const file = folder.databaseFile
    await migrateFile({
      file,
      busyTimeoutMs: options.busyTimeoutMs ?? DEFAULTS.busyTimeoutMs,
      isServing: mode === "serve",
      assertAlone: mode === "beside" ? () => assertNotServed(folder) : () => {},
    })
    const writer = openWriter(options, file)
    const driver = createDriver({ ...options, file, location: file, writer, unlock })
    return createStorage(driver, log)
  } catch (error) {
    unlock?.()
    throw toOpeningError(error)
  }
}

/** The file, if it is only to be read; undefined if it may be written. */
function findFileToRead({ folder, mode }: SqliteStorageOptions): string | undefined {
  if (mode === "read") return findDatabase(folder)
  return mode === "beside" ? findReadOnlyDatabase(folder) : undefined
}

/** What is there can be read, and every write rejects. */
async function openToRead(options: SqliteStorageOptions, file: string): Promise<Storage> {
  try {
    const canIndex = findReadOnlyDatabase(options.folder) === undefined
    const location = toReadOnlyLocation(file, canIndex)
    await assertReadable(location)
    const writer = createRefusingWriter()
    const driver = createDriver({ ...options, file, location, writer, unlock: undefined })
    return createStorage(driver, options.log)
  } catch (error) {
    throw toOpeningError(error)
  }
}

function openWriter(options: SqliteStorageOptions, file: string): ChangeWriter {
  const { busyTimeoutMs = DEFAULTS.busyTimeoutMs, log = SILENT_LOG, maxFileBytes = 0 } = options
  const maxPages = Math.ceil(maxFileBytes / PAGE_BYTES)
  return createChangeWriter({
    log,
    onCommit: options.onCommit ?? (() => {}),
    settings: { ...DEFAULTS, file, busyTimeoutMs, maxPages },
  })
}

function assertOptions({ folder, busyTimeoutMs, maxFileBytes }: SqliteStorageOptions): void {
  if (folder === "") throw invalid("folder is empty")
  for (const [name, value] of Object.entries({ busyTimeoutMs, maxFileBytes })) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) continue
    throw invalid(`${name} is not a whole number from 0`)
  }
}

function invalid(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message })
}
