/**
 * The connection that reads, on the main thread: reading by key takes microseconds, and in WAL no
 * writer holds it up.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { closed, type RawRows, type SqlValue, type Statement } from "@safelight/store"
import { prepareArrays } from "./prepare-arrays.ts"
import { translated } from "./storage-error.ts"

export interface Reader {
  /** Every row; throws a `SafelightError`. */
  readonly all: (statement: Statement, values: readonly SqlValue[]) => RawRows
  /** SQLite's `data_version`: it changes with every other connection's commit. */
  readonly readState: () => number
  readonly close: () => void
}

export interface ReaderOptions {
  readonly file: string
  readonly busyTimeoutMs: number
}

export function createReader({ file, busyTimeoutMs }: ReaderOptions): Reader {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs })
  // Opens the log as well: a file that is taken away later is read on all the same.
  database.exec("select 1 from sqlite_schema limit 1")
  const dataVersion = prepareArrays(database, "pragma data_version")
  const prepared = new Map<Statement, StatementSync>()
  return {
    all: (statement, values) =>
      translated(() => {
        assertOpen(database)
        const ready = prepared.get(statement) ?? prepareArrays(database, statement.sql)
        prepared.set(statement, ready)
        return ready.all(...values) as unknown as RawRows
      }),
    readState: () =>
      translated(() => {
        assertOpen(database)
        const [version] = dataVersion.get() as unknown as [number]
        return version
      }),
    close() {
      if (database.isOpen) database.close()
    },
  }
}

function assertOpen(database: DatabaseSync): void {
  if (!database.isOpen) throw closed()
}
