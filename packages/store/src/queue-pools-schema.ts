/** The schema in which a new task in the queue says what pool its account's permits are of. Frozen, as `initial-schema.ts` is. */
import { sql, type Kysely } from "kysely"
import type { StoreDialect } from "./sql/dialect.ts"

/** The columns may be null, so no row is written: what waits already is taken by any process. */
export async function createQueuePools(
  db: Kysely<unknown>,
  { smallIntegerType }: StoreDialect,
): Promise<void> {
  for (const column of ["pool_number", "pool_size"]) {
    await sql.raw(`alter table ready add column ${column} ${smallIntegerType}`).execute(db)
  }
}
