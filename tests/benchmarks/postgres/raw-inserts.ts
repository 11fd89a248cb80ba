/**
 * What the server itself gives: the bytes of a submission put into four plain tables, 64 rows of each
 * a synced commit, by two callers that do nothing else. Nothing that keeps a log, a read model, a
 * queue and the request can be much faster.
 */
import { Pool } from "pg"
import { POOL_SIZE, type Database } from "./database.ts"
import type { Contender } from "./race.ts"

/** Bytes of an event, a task's row, its place in the queue and its input. */
const ROW_BYTES = [400, 900, 150, 350]
const ROWS = 64
const CALLERS = 2

export interface RawInserts extends Contender, AsyncDisposable {
  /** One row of each table, committed alone. */
  commitOne(): Promise<unknown>
}

export async function openRawInserts(database: Database): Promise<RawInserts> {
  const pool = new Pool({ connectionString: database.url, max: POOL_SIZE })
  pool.on("error", (error) => {
    throw error
  })
  for (const index of ROW_BYTES.keys()) {
    const columns = "id bigint generated always as identity primary key, data text not null"
    await pool.query(`create table raw_${index} (${columns})`)
  }
  const inserts = ROW_BYTES.map(
    (_, index) => `insert into raw_${index} (data) select unnest($${index + 1}::text[])`,
  )
  const [last = "", ...others] = inserts.toReversed()
  const text = `with ${others.map((insert, index) => `i${index} as (${insert})`).join(", ")} ${last}`
  const toValues = (rows: number) =>
    ROW_BYTES.map((bytes) => Array.from({ length: rows }, () => "x".repeat(bytes)))
  const many = toValues(ROWS)
  const one = toValues(1)
  return {
    tasksPerUnit: ROWS,
    callers: CALLERS,
    work: () => pool.query({ name: "raw", text, values: many }),
    commitOne: () => pool.query({ name: "raw", text, values: one }),
    [Symbol.asyncDispose]: () => pool.end(),
  }
}
