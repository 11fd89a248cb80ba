/**
 * The schema in which the bill also counts sound, characters and tokens. What was billed before had none of them.
 * Frozen, as `initial-schema.ts` is.
 */
import { sql, type Kysely } from "kysely"
import type { StoreDialect } from "./sql/dialect.ts"

export async function createChargedMeasures(
  db: Kysely<unknown>,
  { integerType }: StoreDialect,
): Promise<void> {
  for (const column of ["output_audio_ms", "characters", "tokens"]) {
    const statement = `alter table charges add column ${column} ${integerType} not null default 0`
    // oxlint-disable-next-line no-await-in-loop
    await sql.raw(statement).execute(db)
  }
}
