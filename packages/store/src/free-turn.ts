/**
 * The turn of a task that is given up. It is the task's place among the starts, and only one that was
 * never dispatched is a start: what a channel was once asked for is under way, and whoever takes it
 * over must not wait behind new tasks of its account.
 */
import type { Expression, ExpressionBuilder, SqlBool } from "kysely"
import { sql } from "kysely"
import type { StoreDatabase } from "./tables.ts"

type OfReady = ExpressionBuilder<StoreDatabase, "ready">

/** In an update of `ready`: the row's turn, or null where the task was ever dispatched. */
export function toTurnOnceFree(of: OfReady): Expression<number | null> {
  return of.case().when(isStart(of)).then(of.ref("ready.turn")).else(of.lit(null)).end()
}

/** In an update of `ready`: whether the row has a turn, and keeps it once it is free. */
export function isStart(of: OfReady): Expression<SqlBool> {
  const dispatched = of
    .selectFrom("tasks")
    .select("tasks.id")
    .whereRef("tasks.id", "=", "ready.task")
    // Public `running` begins with the first dispatch and lasts as long as the task is unfinished.
    .where("tasks.status", "=", sql.lit("running" as const))
  return of.and([of("ready.turn", "is not", null), of.not(of.exists(dispatched))])
}
