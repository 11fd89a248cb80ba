/**
 * SQLite as the store's driver: look-ups run on the connection of the main thread, long reads in the reading
 * thread, and every change through the one writer, in the order of the calls.
 */
import { SafelightError, SILENT_LOG } from "@safelight/core"
import {
  bind,
  ownStatement,
  toRows,
  toStep,
  type Driver,
  type Origins,
  type Question,
} from "@safelight/store"
import { DEFAULTS } from "./defaults.ts"
import { SQLITE_DIALECT } from "./dialect.ts"
import { createLogShortener } from "./log-shortener.ts"
import { readFileOrigins } from "./origin.ts"
import { createReader } from "./reader.ts"
import type { LongRead } from "./reading-thread-body.ts"
import { createReadingThread } from "./reading-thread.ts"
import type { SqliteStorageOptions } from "./storage.ts"
import type { ChangeWriter } from "./writer.ts"

export interface DriverParts extends Pick<SqliteStorageOptions, "busyTimeoutMs" | "log"> {
  readonly file: string
  /** The file as SQLite is told to open it to read. */
  readonly location: string
  readonly writer: ChangeWriter
  /** Gives up the right to serve, if it was taken. */
  readonly unlock: (() => void) | undefined
}

/** Changes nothing, but is committed and synced as any change is, so it fails if they do. */
const WRITE_ONE_PAGE = ownStatement<never, object>("pragma user_version = 0")

export function createDriver(parts: DriverParts): Driver {
  const { busyTimeoutMs = DEFAULTS.busyTimeoutMs, file, log = SILENT_LOG, unlock, writer } = parts
  const settings = { busyTimeoutMs, file: parts.location }
  const reader = createReader(settings)
  const thread = createReadingThread(settings)
  const shortenLog = createLogShortener({ file, log, commitOnePage })
  const connections: Driver["queue"] = {
    read: async (statement, values) =>
      toRows(statement, reader.all(statement, bind(statement, values))),
    commit: writer.write,
  }

  async function commitOnePage(): Promise<void> {
    await writer.write({ steps: [toStep(WRITE_ONE_PAGE, {})] })
  }

  return {
    ...connections,
    queue: connections,
    dialect: SQLITE_DIALECT,
    keepsDeadRows: false,
    /** Nothing reads between two questions, so SQLite can begin its log anew. */
    async answer(question) {
      await shortenLog()
      return thread.ask(toLongRead(question))
    },
    readState: reader.readState,
    readOrigin: async () => readOrigins(file),
    check: commitOnePage,
    async close() {
      try {
        await writer.drain()
        await thread.end()
        // Before the writer: the last connection to close folds the log into the file.
        reader.close()
        await writer.end()
      } finally {
        unlock?.()
      }
    },
  }
}

function toLongRead(question: Question): LongRead {
  return question.map(({ step: { statement, values }, lastAt }) => ({
    sql: statement.sql,
    values,
    lastAt,
  }))
}

function readOrigins(file: string): Origins {
  try {
    return readFileOrigins(file)
  } catch (cause) {
    const message = `the database file can't be looked at (${(cause as NodeJS.ErrnoException).code})`
    throw new SafelightError({ code: "storage-unavailable", message, retryable: true, cause })
  }
}
