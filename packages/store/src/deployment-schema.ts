/**
 * Schema 6: where the database stands and which artifacts are its own, so that a copy is told from
 * the original. Code of schema 5 writes nothing that it could contradict.
 */
import type { Kysely } from "kysely"
import type { Migration } from "kysely/migration"
import type { StoreDialect } from "./dialect.ts"

export function createDeploymentSchema({ integerType, keyedTable }: StoreDialect): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable("deployment")
        .addColumn("id", integerType, (column) => column.notNull().primaryKey())
        .addColumn("revision", integerType, (column) => column.notNull())
        .addColumn("origin", "text", (column) => column.notNull())
        .addColumn("artifacts_mark", "text")
        .addColumn("adopted_at", integerType, (column) => column.notNull())
        .modifyEnd(keyedTable)
        .execute()
    },
  }
}
