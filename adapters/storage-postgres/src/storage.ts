/**
 * `Storage` on PostgreSQL: examines the server before it is used, then opens the driver. Processes know of
 * each other through the database alone.
 */
import { SafelightError, SILENT_LOG, type Log, type Storage } from "@safelight/core"
import { createStorage, type Commit } from "@safelight/store"
import { createOpener } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import { createDriver } from "./driver.ts"
import { migrateDatabase } from "./migrate-database.ts"
import { warnOfServer } from "./server-warnings.ts"
import { assertOwnSessions } from "./session-settings.ts"
import { toOpeningError } from "./sql-error.ts"

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
  /** Called with every batch that was committed, or given up. */
  readonly onCommit?: (commit: Commit) => void
}

/**
 * Connects, and brings the schema along where need be. Rejects with `invalid-configuration` (a wrong
 * URL, password or database, a pooler that takes settings or sessions away), `schema-too-new`,
 * `in-transfer`, `storage-unavailable`.
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
  const storage = createStorage(createDriver(options), options.log)
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
export async function examineServer({
  url,
  log = SILENT_LOG,
}: Pick<PostgresStorageOptions, "url" | "log">): Promise<void> {
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

function assertOptions(url: string, lanes: number): void {
  if (!URL.canParse(url) || !/^postgres(ql)?:$/.test(new URL(url).protocol)) {
    throw invalid("url is not of the form postgres://user@host:port/database")
  }
  if (!Number.isInteger(lanes) || lanes < 1 || lanes > 4) throw invalid("lanes is not 1 to 4")
}

function invalid(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message })
}
