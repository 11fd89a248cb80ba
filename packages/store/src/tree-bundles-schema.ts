/** The schema in which old parts of the tree over the log may lie in files. Frozen, as `initial-schema.ts` is. */
import { sql, type Kysely } from "kysely"
import type { StoreDialect } from "./sql/dialect.ts"

export async function createTreeBundles(
  db: Kysely<unknown>,
  { compactType, integerType, keyedTable }: StoreDialect,
): Promise<void> {
  const table = `
    create table tree_bundles (
      at ${integerType} not null, first_at ${integerType} not null, last_at ${integerType} not null,
      bytes ${integerType} not null, id ${integerType} not null, sha256 ${compactType} not null,
      runs_sha256 ${compactType} not null, locator text not null, primary key (id)
    ) ${keyedTable}`
  await sql.raw(table).execute(db)
}
