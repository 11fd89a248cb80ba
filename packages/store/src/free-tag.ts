/**
 * The start tag of a task that is released. Only a task that was never dispatched stays a new task: one that
 * a channel was asked for is under way, and must not wait behind new tasks of its account.
 */
import type { Expression, ExpressionBuilder } from "kysely"
import { sql } from "kysely"
import type { StoreDatabase } from "./sql/tables.ts"

/** In an update of `ready`: the row's start tag, or null if the task was ever dispatched. */
export function toTagOnceFree(
  of: ExpressionBuilder<StoreDatabase, "ready">,
): Expression<number | null> {
  const dispatched = of
    .selectFrom("tasks")
    .select("tasks.task")
    .whereRef("tasks.task", "=", "ready.task")
    // Public `running` begins with the first dispatch and lasts as long as the task is unfinished.
    .where("tasks.status", "=", sql.lit("running" as const))
  return of
    .case()
    .when(of.exists(dispatched))
    .then(of.lit(null))
    .else(of.ref("ready.startTag"))
    .end()
}
