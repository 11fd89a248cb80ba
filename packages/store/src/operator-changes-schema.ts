/** The schema in which operators' changes are recorded. Frozen, as `initial-schema.ts` is. */
import { sql, type Kysely } from "kysely"
import type { StoreDialect } from "./sql/dialect.ts"

export async function createOperatorChanges(
  db: Kysely<unknown>,
  { integerType, keyedTable, makeAppendOnly, nameType }: StoreDialect,
): Promise<void> {
  const table = `
    create table operator_changes (
      at ${integerType} not null, id ${nameType} not null, changed_by text not null,
      change text not null, target text not null, details text not null, account text,
      primary key (id)
    ) ${keyedTable}`
  await sql.raw(table).execute(db)
  for (const statement of makeAppendOnly("operator_changes")) await statement.execute(db)
}
