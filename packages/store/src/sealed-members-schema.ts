/**
 * The schema in which an event has a second text, of what its operator alone may know; those from before have none.
 * Frozen, as `initial-schema.ts` is.
 */
import { sql, type Kysely } from "kysely"

/** The column may be null, so no row is written. */
export async function createSealedMembers(db: Kysely<unknown>): Promise<void> {
  await sql.raw("alter table events add column sealed text").execute(db)
}
