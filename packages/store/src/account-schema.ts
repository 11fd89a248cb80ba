/**
 * Schema 3: what accounts may do and what their tasks cost. Rows that are derived from tasks are
 * brought along from the snapshots of schema 2. Code of schema 2 may not go on beside it: it would
 * add tasks that no totals count.
 */
import { sql, type Kysely } from "kysely"
import type { Migration } from "kysely/migration"
import { deriveAccountRows, type TablesOfSchema3 } from "./derive-account-rows.ts"
import type { StoreDialect } from "./dialect.ts"

export function createAccountSchema(dialect: StoreDialect): Migration {
  return {
    async up(db: Kysely<TablesOfSchema3>) {
      await addColumns(db, dialect)
      await createCharges(db, dialect)
      await createAdmission(db, dialect)
      await createLinks(db, dialect)
      await deriveAccountRows(db)
    },
  }
}

async function addColumns(
  db: Kysely<TablesOfSchema3>,
  { integerType }: StoreDialect,
): Promise<void> {
  const addCount = (table: string, name: string) =>
    db.schema
      .alterTable(table)
      .addColumn(name, integerType, (column) => column.notNull().defaultTo(sql.lit(0)))
      .execute()
  const addOptional = (table: string, name: string) =>
    db.schema.alterTable(table).addColumn(name, integerType).execute()
  await addCount("tasks", "reservation_micros")
  await addCount("artifacts", "expiry_hidden")
  await addOptional("accounts", "budget_micros")
  await addOptional("accounts", "unfinished_tasks")
  await addOptional("accounts", "retention_ms")
  await addCount("accounts", "signs_content_urls")
  await addCount("accounts", "suspended_at")
  await addCount("accounts", "link_epoch")
  const none = sql.lit('{"create":null,"read":null,"content":null}')
  await db.schema
    .alterTable("accounts")
    .addColumn("rates", "text", (column) => column.notNull().defaultTo(none))
    .execute()
}

async function createCharges(db: Kysely<TablesOfSchema3>, dialect: StoreDialect): Promise<void> {
  const { idType, integerType } = dialect
  await db.schema
    .createTable("charges")
    .addColumn("task", idType, (column) => column.notNull().primaryKey())
    .addColumn("account", idType, (column) => column.notNull())
    .addColumn("at", integerType, (column) => column.notNull())
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("price_version", "text", (column) => column.notNull())
    .addColumn("images", integerType, (column) => column.notNull())
    .addColumn("output_video_ms", integerType, (column) => column.notNull())
    .addColumn("billed_input_ms", integerType, (column) => column.notNull())
    .addColumn("charge_micros", integerType, (column) => column.notNull())
    .modifyEnd(dialect.keyedTable)
    .execute()
  // The amount stands in it, so that an account's whole bill is added up without its rows.
  await db.schema
    .createIndex("charges_billed")
    .on("charges")
    .columns(["account", "at", "charge_micros"])
    .execute()
}

async function createAdmission(db: Kysely<TablesOfSchema3>, dialect: StoreDialect): Promise<void> {
  const { idType, integerType } = dialect
  await db.schema
    .createTable("account_totals")
    .addColumn("account", idType, (column) => column.notNull().primaryKey())
    .addColumn("charged_micros", integerType, (column) => column.notNull())
    .addColumn("reserved_micros", integerType, (column) => column.notNull())
    .addColumn("unfinished_tasks", integerType, (column) => column.notNull())
    .modifyEnd(dialect.keyedTable)
    .execute()
  await db.schema
    .createTable("idempotency")
    .addColumn("account", idType, (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("fingerprint", "text", (column) => column.notNull())
    .addColumn("task", idType, (column) => column.notNull())
    .addColumn("used_at", integerType, (column) => column.notNull())
    .addPrimaryKeyConstraint("idempotency_key", ["account", "key"])
    .modifyEnd(dialect.keyedTable)
    .execute()
  await db.schema.createIndex("idempotency_task").on("idempotency").column("task").execute()
  await db.schema.createIndex("idempotency_used").on("idempotency").column("used_at").execute()
  await db.schema
    .createTable("rates")
    .addColumn("account", idType, (column) => column.notNull())
    .addColumn("policy", "text", (column) => column.notNull())
    .addColumn("moment", integerType, (column) => column.notNull())
    .addPrimaryKeyConstraint("rates_key", ["account", "policy"])
    .modifyEnd(dialect.keyedTable)
    .execute()
}

async function createLinks(db: Kysely<TablesOfSchema3>, dialect: StoreDialect): Promise<void> {
  const { idType, integerType } = dialect
  await db.schema
    .createTable("link_keys")
    .addColumn("id", idType, (column) => column.notNull().primaryKey())
    .addColumn("secret", "text", (column) => column.notNull())
    .addColumn("created_at", integerType, (column) => column.notNull())
    .addColumn("rank", integerType, (column) => column.notNull())
    .modifyEnd(dialect.keyedTable)
    .execute()
  await db.schema
    .createTable("link_epochs")
    .addColumn("task", idType, (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("epoch", integerType, (column) => column.notNull())
    .addPrimaryKeyConstraint("link_epochs_key", ["task", "key"])
    .modifyEnd(dialect.keyedTable)
    .execute()
}
