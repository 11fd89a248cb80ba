/**
 * The schema in which the tree over the log costs commits the least: events that have no leaf yet are noted in a form of
 * the database's own, and hashes and ids, which don't get smaller, are not compressed. Frozen, as `initial-schema.ts` is.
 */
import type { Kysely } from "kysely"
import type { StoreDialect } from "./sql/dialect.ts"

const UNCOMPRESSED = [
  ["unsequenced_events", "events"],
  ["tree_entries", "entries"],
  ["tree_tiles", "hashes"],
] as const

export async function createPackedNotes(
  db: Kysely<unknown>,
  { keepUncompressed, packNotes }: StoreDialect,
): Promise<void> {
  const notes = { from: "events", to: "unsequenced_events", whileAny: "tree" }
  const statements = [
    ...(packNotes?.(notes) ?? []),
    ...UNCOMPRESSED.flatMap(([table, column]) => keepUncompressed?.(table, column) ?? []),
  ]
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (const statement of statements) await statement.execute(db)
}
