/**
 * The schema without rows of artifacts: they repeated what the rows of their tasks have. Frozen, as `initial-schema.ts`
 * is.
 */
import { sql, type Kysely } from "kysely"

export async function dropArtifactRows(db: Kysely<unknown>): Promise<void> {
  await sql.raw("drop table artifacts").execute(db)
}
