/**
 * The connection that reads, on the main thread: reading by key takes microseconds, and in WAL no
 * writer holds it up. `readTask` calls of one turn of the event loop share one read transaction,
 * opened behind the last of them, so each sees every commit that was acknowledged before it.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite"
import type { StreamHead } from "@safelight/core"
import { bind, type SqlValues, type Statement } from "@safelight/store"
import { createHeadReader } from "./head-reader.ts"
import { closed, translated } from "./storage-error.ts"

export interface Reader {
  readonly readHead: (task: string) => Promise<StreamHead | undefined>
  /** Every row, with the columns' names; throws a `SafelightError`. */
  readonly all: <Row>(statement: Statement, values: SqlValues) => Row[]
  /** Runs `read` on one state of the database. */
  readonly inTransaction: <Result>(read: () => Result) => Result
  readonly close: () => void
}

export interface ReaderOptions {
  readonly file: string
  readonly busyTimeoutMs: number
  readonly findHead: Statement
}

export function createReader({ file, busyTimeoutMs, findHead }: ReaderOptions): Reader {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs })
  const begin = database.prepare("begin")
  const commit = database.prepare("commit")
  const prepared = new Map<Statement, StatementSync>()

  function inTransaction<Result>(read: () => Result): Result {
    return translated(() => {
      assertOpen(database)
      begin.run()
      try {
        return read()
      } finally {
        if (database.isTransaction) commit.run()
      }
    })
  }

  return {
    readHead: createHeadReader(database, findHead, inTransaction),
    all(statement, values) {
      return translated(() => {
        assertOpen(database)
        const ready = prepared.get(statement) ?? database.prepare(statement.sql)
        prepared.set(statement, ready)
        return ready.all(...bind(statement, values)) as never
      })
    },
    inTransaction,
    close() {
      if (database.isOpen) database.close()
    },
  }
}

function assertOpen(database: DatabaseSync): void {
  if (!database.isOpen) throw closed()
}
