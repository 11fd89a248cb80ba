/** The schema in which definitions of models and prices are kept. Frozen, as `initial-schema.ts` is. */
import { sql, type Kysely } from "kysely"
import type { StoreDialect } from "./sql/dialect.ts"

export async function createDefinitions(
  db: Kysely<unknown>,
  { keyedTable, makeAppendOnly, nameType }: StoreDialect,
): Promise<void> {
  const table = `
    create table definitions (
      digest ${nameType} not null, kind text not null, body text not null, primary key (digest)
    ) ${keyedTable}`
  await sql.raw(table).execute(db)
  for (const statement of makeAppendOnly("definitions")) await statement.execute(db)
}
