/**
 * Schema 5: what a database knows of moves, one row each. Code of schema 4 may not go on with it: it
 * would serve what was sealed, and buy its unfinished tasks a second time.
 */
import type { Kysely } from "kysely"
import type { Migration } from "kysely/migration"
import type { StoreDialect } from "./dialect.ts"

export function createSealSchema({ idType, integerType, keyedTable }: StoreDialect): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable("moves")
        .addColumn("id", idType, (column) => column.notNull().primaryKey())
        .addColumn("state", "text", (column) => column.notNull())
        .addColumn("at", integerType, (column) => column.notNull())
        .modifyEnd(keyedTable)
        .execute()
    },
  }
}
