/** Core's `toShare` of an account's permits as a condition of SQL. */
import { toAccountPool } from "@safelight/core"
import { sql, type RawBuilder } from "kysely"
import type { Compiler } from "./sql/statement.ts"

export interface TurnValues {
  readonly turnIndex: number
  readonly turnCount: number
}

/** Whether the turn has a share of the permits of the account of a row of `ready`, or the account has no limit. */
export function hasTurn(
  { db, dialect }: Compiler,
  { turnCount, turnIndex }: TurnValues,
): RawBuilder<boolean> {
  const number = dialect.toDigestNumber(sql`${sql.lit(toAccountPool(""))} || ready.account`)
  const limit = db
    .selectFrom("accounts")
    .select("runningTasks")
    .where("accounts.id", "=", sql<string>`ready.account`)
  return sql<boolean>`(${number} + ${turnIndex}) % ${turnCount} < coalesce((${limit}), ${turnCount})`
}
