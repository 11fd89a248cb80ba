/**
 * Schema 1: every table. A later schema is a new migration beside this one, never a change here:
 * databases exist that ran it.
 */
import { sql, type Kysely } from "kysely"
import type { Migration } from "kysely/migration"
import type { StoreDialect } from "./dialect.ts"

export function createInitialSchema(dialect: StoreDialect): Migration {
  return {
    async up(db: Kysely<unknown>) {
      await createLog(db, dialect)
      await createReadModels(db, dialect)
      await createQueue(db, dialect)
      await createAccounts(db, dialect)
    },
  }
}

async function createLog(db: Kysely<unknown>, dialect: StoreDialect): Promise<void> {
  const { idType, integerType } = dialect
  await db.schema
    .createTable("events")
    .addColumn("task", idType, (column) => column.notNull())
    .addColumn("version", integerType, (column) => column.notNull())
    .addColumn("at", integerType, (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("schema", integerType, (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("data", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("events_key", ["task", "version"])
    .modifyEnd(dialect.keyedTable)
    .execute()
  for (const statement of dialect.makeAppendOnly("events")) await statement.execute(db)
  await db.schema
    .createTable("inputs")
    .addColumn("task", idType, (column) => column.notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("salt", "text", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("inputs_key", ["task", "name"])
    .modifyEnd(dialect.wideTable)
    .execute()
}

async function createReadModels(db: Kysely<unknown>, dialect: StoreDialect): Promise<void> {
  const { idType, integerType } = dialect
  await db.schema
    .createTable("tasks")
    .addColumn("id", idType, (column) => column.notNull().primaryKey())
    .addColumn("version", integerType, (column) => column.notNull())
    .addColumn("account", "text", (column) => column.notNull())
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("created_at", integerType, (column) => column.notNull())
    .addColumn("finished_at", integerType, (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("snapshot", "text", (column) => column.notNull())
    .modifyEnd(dialect.wideTable)
    .execute()
  await db.schema
    .createTable("artifacts")
    .addColumn("task", idType, (column) => column.notNull())
    .addColumn("position", integerType, (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("mime_type", "text", (column) => column.notNull())
    .addColumn("bytes", integerType, (column) => column.notNull())
    .addColumn("sha256", "text", (column) => column.notNull())
    .addColumn("duration_ms", integerType)
    .addColumn("locator", "text", (column) => column.notNull())
    .addColumn("expires_at", integerType, (column) => column.notNull())
    .addPrimaryKeyConstraint("artifacts_key", ["task", "position"])
    .modifyEnd(dialect.keyedTable)
    .execute()
}

async function createQueue(db: Kysely<unknown>, dialect: StoreDialect): Promise<void> {
  const { idType, integerType } = dialect
  await db.schema
    .createTable("ready")
    .addColumn("task", idType, (column) => column.notNull().primaryKey())
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("due_at", integerType, (column) => column.notNull())
    .addColumn("end_by", integerType, (column) => column.notNull())
    .addColumn("claim", "text")
    .addColumn("claimed_until", integerType, (column) => column.notNull())
    .modifyEnd(dialect.keyedTable)
    .execute()
  // Two partial indexes: see queue-statements.ts.
  await db.schema
    .createIndex("ready_due")
    .on("ready")
    .columns(["model", "due_at"])
    .where(sql.ref("claim"), "is", null)
    .execute()
  await db.schema
    .createIndex("ready_claimed")
    .on("ready")
    .column("claimed_until")
    .where(sql.ref("claim"), "is not", null)
    .execute()
  await db.schema.createIndex("ready_end").on("ready").column("end_by").execute()
  await db.schema
    .createTable("retention")
    .addColumn("task", idType, (column) => column.notNull().primaryKey())
    .addColumn("due_at", integerType, (column) => column.notNull())
    .modifyEnd(dialect.keyedTable)
    .execute()
  await db.schema.createIndex("retention_due").on("retention").column("due_at").execute()
}

async function createAccounts(db: Kysely<unknown>, dialect: StoreDialect): Promise<void> {
  const { idType, integerType } = dialect
  await db.schema
    .createTable("accounts")
    .addColumn("id", idType, (column) => column.notNull().primaryKey())
    .addColumn("created_at", integerType, (column) => column.notNull())
    .modifyEnd(dialect.keyedTable)
    .execute()
  await db.schema
    .createTable("keys")
    .addColumn("id", idType, (column) => column.notNull().primaryKey())
    .addColumn("account", idType, (column) => column.notNull().references("accounts.id"))
    .addColumn("secret_sha256", "text", (column) => column.notNull())
    .addColumn("scopes", "text", (column) => column.notNull())
    .addColumn("created_at", integerType, (column) => column.notNull())
    .addColumn("revoked_at", integerType, (column) => column.notNull())
    .addColumn("expires_at", integerType, (column) => column.notNull())
    .modifyEnd(dialect.keyedTable)
    .execute()
}
