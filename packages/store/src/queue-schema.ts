/**
 * Schema 4: a queue that several nodes share. Claims are counted by beats and end by no moment, so
 * `claimed_until` goes; starts have a turn; slots bound how many of something run at once. Code of
 * schema 3 may not go on beside it: it reads the column that is gone. Tasks that stand in the queue
 * keep their moments and claims, and have no turn.
 */
import { sql, type Kysely } from "kysely"
import type { Migration } from "kysely/migration"
import type { StoreDialect } from "./dialect.ts"

/** The tables that are read or filled. */
interface TablesOfSchema4 {
  readonly ready: { readonly task: string; readonly account: string }
  readonly tasks: { readonly id: string; readonly account: string }
}

export function createQueueSchema(dialect: StoreDialect): Migration {
  return {
    async up(db: Kysely<TablesOfSchema4>) {
      await createClaims(db, dialect)
      await changeReady(db, dialect)
      await createIndexes(db)
      await addSettings(db, dialect)
    },
  }
}

async function createClaims(
  db: Kysely<TablesOfSchema4>,
  { idType, integerType, keyedTable }: StoreDialect,
): Promise<void> {
  await db.schema
    .createTable("claims")
    .addColumn("claim", idType, (column) => column.notNull().primaryKey())
    .addColumn("beats", integerType, (column) => column.notNull())
    .modifyEnd(keyedTable)
    .execute()
  await db.schema
    .createTable("slots")
    .addColumn("pool", idType, (column) => column.notNull())
    .addColumn("claim", idType, (column) => column.notNull())
    .addColumn("held", integerType, (column) => column.notNull())
    .addPrimaryKeyConstraint("slots_key", ["pool", "claim"])
    .modifyEnd(keyedTable)
    .execute()
}

async function changeReady(
  db: Kysely<TablesOfSchema4>,
  { idType, integerType }: StoreDialect,
): Promise<void> {
  await db.schema.dropIndex("ready_due").execute()
  await db.schema.dropIndex("ready_claimed").execute()
  await db.schema.alterTable("ready").dropColumn("claimed_until").execute()
  await db.schema.alterTable("ready").addColumn("turn", integerType).execute()
  // A column that may not be null needs a default, for the rows that are there.
  await db.schema
    .alterTable("ready")
    .addColumn("account", idType, (column) => column.notNull().defaultTo(sql.lit("")))
    .execute()
  await db
    .updateTable("ready")
    .set((of) => ({
      account: of.fn.coalesce(
        of.selectFrom("tasks").select("tasks.account").whereRef("tasks.id", "=", "ready.task"),
        // A place whose task is gone: only damage leaves one, and claiming it says so.
        sql.lit(""),
      ),
    }))
    .execute()
}

/** Three kinds of places, and an index of its own for each: see queue-statements.ts. */
async function createIndexes(db: Kysely<TablesOfSchema4>): Promise<void> {
  await db.schema
    .createIndex("ready_start")
    .on("ready")
    .columns(["model", "turn", "task"])
    .where(sql.ref("claim"), "is", null)
    .where(sql.ref("turn"), "is not", null)
    .execute()
  await db.schema
    .createIndex("ready_step")
    .on("ready")
    .columns(["model", "due_at", "task"])
    .where(sql.ref("claim"), "is", null)
    .where(sql.ref("turn"), "is", null)
    .execute()
  await db.schema
    .createIndex("ready_claimed")
    .on("ready")
    .column("claim")
    .where(sql.ref("claim"), "is not", null)
    .execute()
}

async function addSettings(
  db: Kysely<TablesOfSchema4>,
  { integerType }: StoreDialect,
): Promise<void> {
  await db.schema.alterTable("accounts").addColumn("running_tasks", integerType).execute()
  await db.schema
    .alterTable("accounts")
    .addColumn("weight", integerType, (column) => column.notNull().defaultTo(sql.lit(1)))
    .execute()
}
