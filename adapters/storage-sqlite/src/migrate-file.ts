/**
 * Brings the file to this release's schema before anything else uses it. All of it is one SQLite
 * transaction, so of two processes that start together one migrates and the other finds it done.
 */
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { assertServable } from "@safelight/core"
import {
  LEASE_STATEMENTS,
  createCompiler,
  migrate,
  TRANSFER_STATEMENTS,
  toRows,
  type RawRows,
} from "@safelight/store"
import { Kysely, SqliteDialect, type SqliteDatabase } from "kysely"
import { SQLITE_DIALECT } from "./dialect.ts"
import { isBusy } from "./failure.ts"
import { assertNoArtifacts } from "./lost-files.ts"
import { prepareArrays } from "./prepare-arrays.ts"

/** A migration takes some tens of milliseconds. */
const RETRY_MS = 10

export interface MigrateFileOptions {
  readonly file: string
  readonly busyTimeoutMs: number
  /** Refuses a database that moved or whose tasks are gone, and ends the leases of the process before. */
  readonly isServing: boolean
  /** Throws if an older release may be serving. */
  readonly assertAlone: () => void
}

/** Rejects with `schema-too-new`, with `in-transfer` where it is to be served, or with SQLite's own error. */
export async function migrateFile(options: MigrateFileOptions): Promise<void> {
  const database = new DatabaseSync(options.file)
  try {
    await beginPatiently(database, options.busyTimeoutMs)
    await migrate(toKysely(database), {
      dialect: SQLITE_DIALECT,
      assertAlone: options.assertAlone,
    })
    if (options.isServing) beginServing(database, options.file)
    database.exec("commit")
  } finally {
    // Ends an open transaction, undone.
    database.close()
  }
}

function beginServing(database: DatabaseSync, file: string): void {
  const compiler = createCompiler(SQLITE_DIALECT)
  const { listTransfers } = TRANSFER_STATEMENTS(compiler)
  const transfers = prepareArrays(database, listTransfers.sql).all() as unknown as RawRows
  assertServable(toRows(listTransfers, transfers))
  if (isWithoutTasks(database)) assertNoArtifacts(file)
  const { forgetAll, freeEveryTask } = LEASE_STATEMENTS(compiler)
  for (const { sql } of [freeEveryTask, forgetAll]) database.exec(sql)
}

function isWithoutTasks(database: DatabaseSync): boolean {
  return database.prepare("select 1 from tasks limit 1").get() === undefined
}

/**
 * Waits for another writer without blocking the thread: the writer may be another storage in this very
 * thread, which SQLite's own busy time-out would keep from ever finishing.
 */
async function beginPatiently(database: DatabaseSync, busyTimeoutMs: number): Promise<void> {
  const giveUpAt = performance.now() + busyTimeoutMs
  for (;;) {
    try {
      database.exec("pragma journal_mode = wal; pragma synchronous = full; begin immediate")
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw error
      await setTimeout(RETRY_MS)
    }
  }
}

export function toKysely(database: DatabaseSync): Kysely<unknown> {
  const shim: SqliteDatabase = {
    close() {},
    prepare(sql) {
      const statement = database.prepare(sql)
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => statement.all(...(parameters as string[])),
        run: (parameters) => statement.run(...(parameters as string[])),
        iterate: (parameters) => statement.iterate(...(parameters as string[])),
      }
    },
  }
  return new Kysely<unknown>({ dialect: new SqliteDialect({ database: shim }) })
}
