/**
 * Schema 8: the secret that the processes of one database share. It stands by the adoption that it was
 * made under, so that an adoption by code of schema 6 or 7 ends it too; other older code never needs it.
 */
import type { Kysely } from "kysely"
import type { Migration } from "kysely/migration"
import type { StoreDialect } from "./dialect.ts"

export function createSecretSchema({ integerType, keyedTable }: StoreDialect): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await db.schema
        .createTable("deployment_secrets")
        .addColumn("adopted_at", integerType, (column) => column.notNull().primaryKey())
        .addColumn("secret", "text", (column) => column.notNull())
        .modifyEnd(keyedTable)
        .execute()
    },
  }
}
