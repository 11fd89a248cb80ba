/**
 * `Storage` on SQLite: one file in one folder, one writing thread, one reading connection. Every
 * write of every kind goes through the writer, so they are ordered as they were called.
 */
import {
  isSafelightError,
  SafelightError,
  SILENT_LOG,
  type Log,
  type Storage,
} from "@safelight/core"
import {
  createCompiler,
  createStoreMethods,
  toStep,
  type Commit,
  type Statement,
} from "@safelight/store"
import { createAppendMethods } from "./append.ts"
import { DEFAULTS } from "./defaults.ts"
import { SQLITE_DIALECT } from "./dialect.ts"
import { createDriver } from "./driver.ts"
import { toFailure } from "./failure.ts"
import { toSafelightError } from "./storage-error.ts"
import { assertNotServed, findReadOnlyDatabase, lockForServing, prepareFolder } from "./folder.ts"
import { createLogShortener } from "./log-shortener.ts"
import { createLongReads } from "./long-reads.ts"
import { migrateFile } from "./migrate-file.ts"
import { assertReadable, createRefusingWriter, toReadOnlyLocation } from "./read-only.ts"
import { createReader } from "./reader.ts"
import { createReadingThread } from "./reading-thread.ts"
import { warnOfOthers } from "./open-modes.ts"
import { createWriter, type Writer } from "./writer.ts"

export interface SqliteStorageOptions {
  /** Where the database lives; made where it is missing. One folder, one service. */
  readonly folder: string
  /**
   * `serve` (the default) holds the folder for the life of the storage and ends the leases of
   * whoever served before; `beside` is for commands that work next to it, and only reads where the
   * folder can't be written; `alone` holds the folder
   * too and serves nothing, so that it opens what is sealed or not wholly imported.
   */
  readonly mode?: "serve" | "beside" | "alone"
  readonly log?: Log
  /** How long a write waits for another process's, ms. */
  readonly busyTimeoutMs?: number
  /** Hears of every batch of writes that was committed, or given up. */
  readonly onCommit?: (commit: Commit) => void
  /** Bound on the database file; past it writes reject with `storage-unavailable`. */
  readonly maxFileBytes?: number
}

/** Changes nothing and is committed and synced as any change is, so it fails where they do. */
const WRITE_ONE_PAGE: Statement<never, object> = {
  sql: "pragma user_version = 0",
  parameters: [],
  columns: [],
}

/** SQLite's default, and what every database made here has. */
const PAGE_BYTES = 4_096

/**
 * Opens the database, made or migrated where need be. Rejects with `invalid-configuration` (a
 * wrong setting, a folder that can't be written), `already-served`, `already-moved`, `schema-too-new`,
 * `storage-corrupt` (no database, a damaged one, or one of which a part is gone),
 * `storage-unavailable`.
 */
export async function createSqliteStorage(options: SqliteStorageOptions): Promise<Storage> {
  assertOptions(options)
  const { mode = "serve", log = SILENT_LOG } = options
  const readOnlyFile = mode === "beside" ? findReadOnlyDatabase(options.folder) : undefined
  if (readOnlyFile !== undefined) return openToRead(options, readOnlyFile)
  const folder = prepareFolder(options.folder)
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
    return assemble(options, { file, location: file, writer, unlock })
  } catch (error) {
    unlock?.()
    throw toOpeningError(error)
  }
}

/** A folder that can't be written: what is there can be read, and every write rejects. */
async function openToRead(options: SqliteStorageOptions, file: string): Promise<Storage> {
  try {
    const location = toReadOnlyLocation(file)
    await assertReadable(location)
    const writer = createRefusingWriter()
    return assemble(options, { file, location, writer, unlock: undefined })
  } catch (error) {
    throw toOpeningError(error)
  }
}

function toOpeningError(error: unknown): unknown {
  return isSafelightError(error) ? error : toSafelightError(toFailure(error), { cause: error })
}

function openWriter(options: SqliteStorageOptions, file: string): Writer {
  const { busyTimeoutMs = DEFAULTS.busyTimeoutMs, log = SILENT_LOG, maxFileBytes = 0 } = options
  const maxPages = Math.ceil(maxFileBytes / PAGE_BYTES)
  return createWriter({
    log,
    onCommit: options.onCommit ?? (() => {}),
    settings: { ...DEFAULTS, file, busyTimeoutMs, maxPages },
  })
}

interface Parts {
  readonly file: string
  /** The file as SQLite is told to open it to read. */
  readonly location: string
  readonly writer: Writer
  readonly unlock: (() => void) | undefined
}

function assemble(options: SqliteStorageOptions, parts: Parts): Storage {
  const { file, writer } = parts
  const { busyTimeoutMs = DEFAULTS.busyTimeoutMs, log = SILENT_LOG } = options
  const reading = { busyTimeoutMs, file: parts.location }
  const reader = createReader(reading)
  async function commitOnePage(): Promise<void> {
    await writer.write({ steps: [toStep(WRITE_ONE_PAGE, {})] })
  }
  const longReads = createLongReads({
    thread: createReadingThread(reading),
    shortenLog: createLogShortener({ file, log, commitOnePage }),
  })
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    try {
      await writer.drain()
      await longReads.close()
      // Before the writer, whose connection as the last one folds the log into the file.
      reader.close()
      await writer.end()
    } finally {
      parts.unlock?.()
    }
  }

  const compiler = createCompiler(SQLITE_DIALECT)
  const driver = createDriver({ file, writer, reader, longReads })
  return {
    ...createStoreMethods(driver, compiler, { log }),
    ...createAppendMethods(driver, compiler),
    check: commitOnePage,
    close: () => (closing ??= close()),
  }
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
