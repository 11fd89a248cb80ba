/**
 * `Storage` on PostgreSQL: examines the server before it is used, then opens the driver. Processes know of
 * each other through the database alone.
 */
import { SafelightError, SILENT_LOG, type Log, type Storage } from "@safelight/core"
import { assertMigrated, createStorage, type Commit } from "@safelight/store"
import { createOpener, type PostgresConnection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import { describeFound } from "./describe-found.ts"
import { createDriver } from "./driver.ts"
import { examineServer, openListener, type Found } from "./examine-server.ts"
import { findKeeping } from "./find-keeping.ts"
import { migrateDatabase } from "./migrate-database.ts"
import { readSchema } from "./read-schema.ts"
import type { Answerer } from "./replica.ts"
import { toReadOnlyUrl } from "./server-address.ts"
import { toOpeningError } from "./sql-error.ts"

export type { Answerer, Commit }

export interface PostgresStorageOptions {
  /** `postgres://user:password@host:port/database`, with the parameters that `pg` knows. */
  readonly url: string
  /**
   * Another address of the same database, for the one connection that listens for wake-ups: past a pooler that works by
   * transaction. Without it, and behind such a pooler, the queue and the feeds are polled.
   */
  readonly listenUrl?: string
  /**
   * A standby of the server at `url`, for reads behind lists, usage, exports and audits. They see every commit that was
   * acknowledged before; if it can't be used, the primary is asked. It may be down at the start.
   */
  readonly readUrl?: string
  /**
   * `serve` (the default) refuses a database that was moved elsewhere; `beside` is for commands that
   * work next to services; `read` only reads, also from a standby, and neither makes nor migrates the schema: for a copy
   * that must stay as it is.
   */
  readonly mode?: "serve" | "beside" | "read"
  /** Whether an empty database gets a schema; true by default. */
  readonly mayCreate?: boolean
  /** Connections that commit, 1 to 4. */
  readonly lanes?: number
  readonly log?: Log
  /** Called with every batch that was committed, or given up. */
  readonly onCommit?: (commit: Commit) => void
  /** With `readUrl`: called with every read that the replica may answer, and who answered it. */
  readonly onRead?: (answerer: Answerer) => void
}

/**
 * Connects, and brings the schema along where need be. Rejects with `invalid-configuration` (a wrong
 * URL, password or database, a pooler that can't be worked with), `schema-too-new`, `already-served` (by an older
 * release that could not use the schema any more), `in-transfer`, `storage-unavailable`.
 */
export async function createPostgresStorage(options: PostgresStorageOptions): Promise<Storage> {
  const { log = SILENT_LOG, mayCreate = true, mode = "serve", url } = options
  assertOptions(options)
  if (mode === "read") return openToRead(options)
  const isServing = mode === "serve"
  try {
    const found = await (isServing ? examineServer(options) : findBeside(options))
    const { keeping } = found
    await migrateDatabase({ url, keeping, isServing, mayCreate })
    const openListening = toListener(options, found)
    const storage = createStorage(createDriver({ ...options, keeping, openListening }), log)
    if (!isServing) return storage
    await checkFirst(storage)
    const { sessions, settings, statements, wakeUps } = describeFound(found)
    log.info({ sessions, settings, statements, wakeUps }, "database connections")
    return storage
  } catch (error) {
    throw toOpeningError(error)
  }
}

/** The server itself refuses what would write. */
async function openToRead(options: PostgresStorageOptions): Promise<Storage> {
  const url = toReadOnlyUrl(options.url)
  try {
    const keeping = await findKeeping(url)
    assertMigrated(await readSchema({ url, keeping }))
    const driver = createDriver({ ...options, url, keeping, openListening: undefined })
    return createStorage(driver, options.log)
  } catch (error) {
    throw toOpeningError(error)
  }
}

/** A command ends soon: of what it might hear only what costs nothing is found out. */
async function findBeside({ listenUrl, url }: PostgresStorageOptions): Promise<Found> {
  const keeping = await findKeeping(url)
  if (listenUrl !== undefined) return { keeping, hearing: "apart" }
  return { keeping, hearing: keeping.sessions ? "here" : "nowhere" }
}

function toListener(
  { listenUrl, url }: PostgresStorageOptions,
  { hearing, keeping }: Found,
): (() => Promise<PostgresConnection>) | undefined {
  if (listenUrl !== undefined) return openListener(listenUrl)
  return hearing === "here" ? createOpener(url, keeping)("listening") : undefined
}

async function checkFirst(storage: Storage): Promise<void> {
  try {
    await storage.check()
  } catch (error) {
    await storage.close()
    throw error
  }
}

function assertOptions({
  lanes = DEFAULTS.lanes,
  listenUrl,
  readUrl,
  url,
}: PostgresStorageOptions): void {
  assertUrl("url", url)
  if (readUrl !== undefined) assertUrl("readUrl", readUrl)
  if (listenUrl !== undefined) assertUrl("listenUrl", listenUrl)
  if (!Number.isInteger(lanes) || lanes < 1 || lanes > 4) throw invalid("lanes is not 1 to 4")
}

function assertUrl(name: string, url: string): void {
  if (URL.canParse(url) && /^postgres(ql)?:$/.test(new URL(url).protocol)) return
  throw invalid(`${name} is not of the form postgres://user@host:port/database`)
}

function invalid(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message })
}
