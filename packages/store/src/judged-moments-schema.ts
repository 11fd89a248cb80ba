/**
 * The schema in which the moment is kept by which things were last removed for their age. A database from before
 * begins with the moment of its newest task: ids begin with theirs. Frozen, as `initial-schema.ts` is.
 */
import { sql, type Kysely } from "kysely"
import type { StoreDialect } from "./sql/dialect.ts"

export async function createJudgedMoments(
  db: Kysely<unknown>,
  { integerType, keyedTable }: StoreDialect,
): Promise<void> {
  const table = `
    create table judged_moments (
      id ${integerType} not null, at ${integerType} not null, primary key (id)
    ) ${keyedTable}`
  await sql.raw(table).execute(db)
  const first = `
    insert into judged_moments (id, at)
    select 1, created_at from (select created_at from tasks order by task desc limit 1) as newest`
  await sql.raw(first).execute(db)
}
