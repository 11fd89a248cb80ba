/**
 * The schema in which finished tasks may be archived: the log still refuses every change, but lets go of the events of a
 * task whose row says that a segment has them. Frozen, as `initial-schema.ts` is.
 */
import { sql, type Kysely } from "kysely"
import type { StoreDialect } from "./sql/dialect.ts"

const IS_ARCHIVED = `exists (
  select 1 from tasks where tasks.task = old.task and substr(tasks.snapshot, 1, 12) = '{"archived":'
)`

export async function createArchive(db: Kysely<unknown>, dialect: StoreDialect): Promise<void> {
  const { compactType, integerType, keyedTable, smallIntegerType } = dialect
  const table = `
    create table archive_segments (
      at ${integerType} not null, bytes ${integerType} not null, task_count ${integerType} not null,
      event_count ${integerType} not null, id ${smallIntegerType} not null, sha256 ${compactType},
      locator text, primary key (id)
    ) ${keyedTable}`
  await sql.raw(table).execute(db)
  for (const statement of dialect.allowDeletes({ table: "events", where: IS_ARCHIVED })) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await statement.execute(db)
  }
}
