/**
 * Schema 7: which channels an operator has paused, one row each. Code of schema 5 may go on beside it
 * and gives paused channels new work until its node is replaced.
 */
import type { Kysely } from "kysely"
import type { Migration } from "kysely/migration"
import type { StoreDialect } from "./dialect.ts"

export function createChannelSchema({ idType, integerType, keyedTable }: StoreDialect): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable("paused_channels")
        .addColumn("channel", idType, (column) => column.notNull().primaryKey())
        .addColumn("paused_at", integerType, (column) => column.notNull())
        .modifyEnd(keyedTable)
        .execute()
    },
  }
}
