/**
 * The thread of long reads: answers one after the other, each on the newest state. It imports
 * nothing that must be installed, so it starts from this file alone, as source or as built.
 */
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"
import type { SqlValue, SqlValues, Statement } from "@safelight/store"
import { isTooLarge, readTwice, toFailure, type Failure } from "./failure.ts"

export interface LongReadSettings {
  readonly file: string
  readonly busyTimeoutMs: number
}

export interface LongRead {
  /** All run on one state of the database. */
  readonly statements: readonly Statement[]
  /** By parameter; `last` is the id of the last row that the first statement gave. */
  readonly values: SqlValues
}

export type LongReadAnswer =
  | { readonly rows: readonly (readonly unknown[])[] }
  | { readonly failure: Failure; readonly isTooLarge: boolean }

if (parentPort === null) throw new Error("reading-thread-body.ts is the body of a worker thread")
const port = parentPort
const { file, busyTimeoutMs } = workerData as LongReadSettings
const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs })
const prepared = new Map<string, StatementSync>()

function readRows({ sql, parameters }: Statement, values: SqlValues): Record<string, unknown>[] {
  const statement = prepared.get(sql) ?? database.prepare(sql)
  prepared.set(sql, statement)
  return statement.all(...parameters.map((name) => toValue(name, values)))
}

function toValue(name: string, values: SqlValues): SqlValue {
  const value = values[name]
  if (value === undefined) throw new RangeError(`no value for ${name}`)
  return value
}

function readAll({ statements: [first, ...others], values }: LongRead): unknown[][] {
  if (first === undefined) return []
  const rows = readRows(first, values)
  const last = rows.at(-1)?.["id"]
  if (others.length === 0 || typeof last !== "string") return [rows]
  return [rows, ...others.map((statement) => readRows(statement, { ...values, last }))]
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
