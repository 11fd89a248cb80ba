/** The one moment of each account and policy, moved by compare-and-set. */
import type { Kysely } from "kysely"
import type { RatesTable, StoreDatabase } from "./database.ts"
import { compile, placeholders, type Statement } from "./statement.ts"

export interface RateStatements {
  readonly find: Statement
  /** Sets the first moment; changes no row where there is one. */
  readonly begin: Statement
  /** Moves the moment on; changes no row where it is not `from`. */
  readonly advance: Statement
}

export function compileRateStatements(db: Kysely<StoreDatabase>): RateStatements {
  const RATE = placeholders<RatesTable>("account", "policy", "moment")
  const { from } = placeholders<{ from: number }>("from")
  const { account, policy, moment } = RATE
  return {
    find: compile(
      db
        .selectFrom("rates")
        .select("moment")
        .where("account", "=", account)
        .where("policy", "=", policy),
    ),
    begin: compile(
      db
        .insertInto("rates")
        .values(RATE)
        .onConflict((conflict) => conflict.columns(["account", "policy"]).doNothing()),
    ),
    advance: compile(
      db
        .updateTable("rates")
        .set({ moment })
        .where("account", "=", account)
        .where("policy", "=", policy)
        .where("moment", "=", from),
    ),
  }
}
