/**
 * The connection that reads, on the main thread: reading by key takes microseconds, and in WAL no
 * writer holds it up. `readTask` calls of one turn of the event loop share one read transaction,
 * opened behind the last of them, so each sees every commit that was acknowledged before it.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { fromSnapshot, type StreamHead } from "@safelight/core"
import { bind, type SqlValues, type Statement } from "@safelight/store"
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

interface PendingRead {
  readonly task: string
  readonly resolve: (head: StreamHead | undefined) => void
  readonly reject: (error: unknown) => void
}

type HeadRow = readonly [snapshot: string, hash: string]

export function createReader({ file, busyTimeoutMs, findHead }: ReaderOptions): Reader {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs })
  const begin = database.prepare("begin")
  const commit = database.prepare("commit")
  const headStatement = database.prepare(findHead.sql, { returnArrays: true })
  const prepared = new Map<Statement, StatementSync>()
  let waiting: PendingRead[] = []

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

  function readWaiting(): void {
    const reads = waiting
    waiting = []
    try {
      const rows = inTransaction(() =>
        reads.map(({ task }) => headStatement.get(task) as unknown as HeadRow | undefined),
      )
      for (const [index, read] of reads.entries()) settle(read, rows[index])
    } catch (error) {
      for (const { reject } of reads) reject(error)
    }
  }

  return {
    readHead(task) {
      return new Promise((resolve, reject) => {
        waiting.push({ task, resolve, reject })
        if (waiting.length === 1) setImmediate(readWaiting)
      })
    },
    all(statement, values) {
      return translated(() => {
        assertOpen(database)
        const known = prepared.get(statement) ?? database.prepare(statement.sql)
        prepared.set(statement, known)
        return known.all(...bind(statement, values)) as never
      })
    },
    inTransaction,
    close() {
      if (database.isOpen) database.close()
    },
  }
}

function settle({ resolve, reject }: PendingRead, row: HeadRow | undefined): void {
  try {
    resolve(row && toHead(row[0], row[1]))
  } catch (error) {
    reject(error)
  }
}

export function toHead(snapshot: string, hash: string): StreamHead {
  return { task: fromSnapshot(snapshot), hash }
}

function assertOpen(database: DatabaseSync): void {
  if (!database.isOpen) throw closed()
}
