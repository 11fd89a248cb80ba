/**
 * A statement whose rows are arrays, by a call on the statement: Node 22, and the older releases of 24,
 * ignore the option of `prepare` that says the same, without a word. The writing thread uses this
 * file, so it imports nothing.
 */
import type { DatabaseSync, StatementSync } from "node:sqlite"

export function prepareArrays(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql)
  statement.setReturnArrays(true)
  return statement
}
