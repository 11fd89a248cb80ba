/**
 * The schema in which the log has a Merkle tree. Frozen, as `initial-schema.ts` is. A trigger notes the events that have
 * no leaf, so that releases which know nothing of it do so too.
 */
import { sql, type Kysely } from "kysely"
import type { StoreDialect } from "./sql/dialect.ts"

export async function createTree(db: Kysely<unknown>, dialect: StoreDialect): Promise<void> {
  const { compactType, integerType, keyedTable, numberedKey, smallIntegerType, wideTable } = dialect
  const statements = [
    `create table tree (
      id ${integerType} not null, size ${integerType} not null, noted_pages ${integerType} not null,
      doubled_to ${integerType} not null, root ${compactType} not null, noted_to ${compactType}, primary key (id)
    ) ${keyedTable}`,
    `create table unsequenced_events (id ${numberedKey}, events text not null) ${wideTable}`,
    `create table tree_tiles (
      position ${integerType} not null, level ${smallIntegerType} not null, hashes text not null,
      primary key (level, position)
    ) ${wideTable}`,
    `create table tree_entries (
      position ${integerType} not null, first_at ${integerType} not null,
      last_at ${integerType} not null, entries text not null, primary key (position)
    ) ${wideTable}`,
    "create index tree_entries_at on tree_entries (last_at, position, first_at)",
    `create table checkpoints (
      size ${integerType} not null, at ${integerType} not null, note text not null, primary key (size)
    ) ${keyedTable}`,
  ]
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (const statement of statements) await sql.raw(statement).execute(db)
  const notes = { from: "events", to: "unsequenced_events", whileAny: "tree" }
  const noting = dialect.noteInserts(notes)
  for (const statement of [...noting, ...dialect.makeAppendOnly("checkpoints")]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await statement.execute(db)
  }
}
