/**
 * `Storage` on PostgreSQL. Appends and admissions go through the group commit and its lanes; everything
 * else through a few shared connections. Processes know of each other by the database alone.
 */
import { SafelightError, SILENT_LOG, type Log, type Storage } from "@safelight/core"
import { createCompiler, createStoreMethods, type Commit, type Driver } from "@safelight/store"
import { createAppendMethods } from "./append.ts"
import { connect, type Connection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import { POSTGRES_DIALECT } from "./dialect.ts"
import { createLane } from "./lane.ts"
import { migrateDatabase } from "./migrate-database.ts"
import { createOriginReader } from "./origin.ts"
import { createOutage } from "./outage.ts"
import { createServerMethods } from "./server-methods.ts"
import { warnOfServer } from "./server-warnings.ts"
import { assertOwnSessions } from "./session-settings.ts"
import { createSessions } from "./sessions.ts"
import { toOpeningError } from "./sql-error.ts"
import { createSums } from "./sums.ts"
import { createWakeUps } from "./wake-ups.ts"
import { createWriter, type Writer } from "./writer.ts"

export type { Commit }

export interface PostgresStorageOptions {
  /** `postgres://user:password@host:port/database`, with the parameters that `pg` knows. */
  readonly url: string
  /**
   * `serve` (the default) refuses a database that was moved elsewhere; `beside` is for commands that
   * work next to services.
   */
  readonly mode?: "serve" | "beside"
  /** Whether an empty database gets a schema; true by default. */
  readonly mayCreate?: boolean
  /** Connections that commit, 1 to 4. */
  readonly lanes?: number
  readonly log?: Log
  /** Hears of every batch that was committed, or given up. */
  readonly onCommit?: (commit: Commit) => void
}

/**
 * Connects, and brings the schema along where need be. Rejects with `invalid-configuration` (a wrong
 * URL, password or database, a pooler that takes settings or sessions away), `schema-too-new`,
 * `already-moved`, `storage-unavailable`.
 */
export async function createPostgresStorage(options: PostgresStorageOptions): Promise<Storage> {
  const { url, lanes = DEFAULTS.lanes, mayCreate = true, mode = "serve" } = options
  assertOptions(url, lanes)
  const isServing = mode === "serve"
  try {
    await migrateDatabase({ url, isServing, mayCreate })
  } catch (error) {
    throw toOpeningError(error)
  }
  const storage = assemble(options, lanes)
  if (!isServing) return storage
  try {
    await examineServer(options)
    await storage.check()
    return storage
  } catch (error) {
    await storage.close()
    throw toOpeningError(error)
  }
}

/** Over connections that end before any is opened that stays. */
async function examineServer({ url, log = SILENT_LOG }: PostgresStorageOptions): Promise<void> {
  const open = createOpener(url)("starting", "batches")
  const one = await open()
  try {
    const other = await open()
    try {
      await assertOwnSessions(one, other)
    } finally {
      await other.end()
    }
    await warnOfServer(one, log)
  } finally {
    await one.end()
  }
}

function createOpener(url: string) {
  const { replyTimeoutMs, statementTimeoutMs } = DEFAULTS
  return (name: string, planning: "batches" | "rows" = "rows") =>
    (): Promise<Connection> =>
      connect({ url, name: `safelight ${name}`, planning, replyTimeoutMs, statementTimeoutMs })
}

function assemble(options: PostgresStorageOptions, laneCount: number): Storage {
  const { url, log = SILENT_LOG, onCommit = () => {} } = options
  const open = createOpener(url)
  const sessions = createSessions(open("reading"), {
    shared: DEFAULTS.readConnections,
    transactions: DEFAULTS.transactions,
  })
  const taking = createSessions(open("taking"), {
    shared: DEFAULTS.takeConnections,
    transactions: DEFAULTS.takeTransactions,
  })
  const sums = createSums(open("summing"))
  const wakeUps = createWakeUps(sessions, open("listening"), log)
  const outage = createOutage()
  const lanes = Array.from({ length: laneCount }, () =>
    createLane({
      open: open("committing", "batches"),
      outage,
      onJudged: (change, outcome) => writer.noteJudged(change, outcome),
    }),
  )
  const writer: Writer = createWriter({ lanes, outage, onCommit, onQueued: wakeUps.noteQueued })
  const driver: Driver = {
    read: sessions.read,
    commit: sessions.commit,
    queue: taking,
    dialect: POSTGRES_DIALECT,
    readLong: sums.read,
    snapshot: sums.snapshot,
    keepsDeadRows: true,
    readOrigin: createOriginReader(sessions, log),
  }
  const onFreed = wakeUps.noteQueued
  let closing: Promise<void> | undefined

  async function close(): Promise<void> {
    await writer.drain()
    for (const lane of lanes) lane.close()
    wakeUps.close()
    taking.close()
    sessions.close()
    sums.close()
  }

  return {
    ...createStoreMethods(driver, createCompiler(POSTGRES_DIALECT), { log, onFreed }),
    ...createAppendMethods(writer),
    onQueued: wakeUps.onQueued,
    wakeHolder: wakeUps.wakeHolder,
    onHolderWoken: wakeUps.onHolderWoken,
    ...createServerMethods({ writer, sessions, taking }),
    close: () => (closing ??= close()),
  }
}

function assertOptions(url: string, lanes: number): void {
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    throw invalid("url is not of the form postgres://user@host:port/database")
  }
  if (!Number.isInteger(lanes) || lanes < 1 || lanes > 4) throw invalid("lanes is not 1 to 4")
}

function invalid(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message })
}
