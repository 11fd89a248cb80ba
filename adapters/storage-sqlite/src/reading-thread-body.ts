/**
 * The thread of long reads: answers one after the other, each on the newest state. It imports
 * nothing that must be installed, so it starts from this file alone, as source or as built.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"
import type { RawRows, SqlValue } from "@safelight/store"
import { isTooLarge, readTwice, toFailure, type Failure } from "./failure.ts"
import { prepareArrays } from "./prepare-arrays.ts"

export interface LongReadSettings {
  readonly file: string
  readonly busyTimeoutMs: number
}

export interface LongStatement {
  readonly sql: string
  readonly values: readonly SqlValue[]
  /** Where the first value of the first statement's last row goes; without such a row it isn't run. */
  readonly lastAt?: readonly number[]
}

/** All run on one state of the database. */
export type LongRead = readonly LongStatement[]

export type LongReadAnswer =
  | { readonly rows: readonly RawRows[] }
  | { readonly failure: Failure; readonly isTooLarge: boolean }

if (parentPort === null) throw new Error("reading-thread-body.ts is the body of a worker thread")
const port = parentPort
const { file, busyTimeoutMs } = workerData as LongReadSettings
const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs })
const prepared = new Map<string, StatementSync>()

function readRows({ sql, values, lastAt = [] }: LongStatement, last: SqlValue): RawRows {
  const statement = prepared.get(sql) ?? prepareArrays(database, sql)
  prepared.set(sql, statement)
  const bound = values.map((value, index) => (lastAt.includes(index) ? last : value))
  return statement.all(...bound) as unknown as RawRows
}

function readAll([first, ...others]: LongRead): RawRows[] {
  if (first === undefined) return []
  const rows = readRows(first, null)
  const last = rows.at(-1)?.[0]
  if (typeof last !== "string") return [rows]
  return [rows, ...others.map((statement) => readRows(statement, last))]
}

function answer(read: LongRead): LongReadAnswer {
  try {
    database.exec("begin")
    return { rows: readTwice(() => readAll(read)) }
  } catch (error) {
    return { failure: toFailure(error), isTooLarge: isTooLarge(error) }
  } finally {
    if (database.isTransaction) database.exec("commit")
  }
}

port.on("message", (read: LongRead) => port.postMessage(answer(read)))
