/**
 * Brings a database to this release's schema, or refuses it. A database says itself which code
 * may use it: a newer schema that still allows this code is used as it is, never migrated back.
 * The caller holds a transaction or lock around this, so that two processes never migrate at once.
 */
import { SafelightError } from "@safelight/core"
import type { Kysely } from "kysely"
import { Migrator, type Migration } from "kysely/migration"
import { createAccountSchema } from "./account-schema.ts"
import { createChannelSchema } from "./channel-schema.ts"
import type { CompatibilityTable, StoreDatabase } from "./database.ts"
import { createDeploymentSchema } from "./deployment-schema.ts"
import type { StoreDialect } from "./dialect.ts"
import { createInitialSchema } from "./initial-schema.ts"
import { createOutcomeSchema } from "./outcome-schema.ts"
import { createQueueSchema } from "./queue-schema.ts"
import { createSealSchema } from "./seal-schema.ts"
import { createSecretSchema } from "./secret-schema.ts"
import { createTaskListIndex } from "./task-list-index.ts"

/** The schema this code writes. */
export const SCHEMA_VERSION = 9

/**
 * The oldest code that may use a database of `SCHEMA_VERSION`, by the schema it was made for: older
 * code can't read what attempts cost, and finishes tasks without the rows that tell it.
 */
const OLDEST_CODE_VERSION = 9

/**
 * Rejects with `schema-too-new` where only newer code may use the database. `assertAlone` is called
 * before a database is taken from the code that made it: it rejects where that may still be running.
 */
export async function migrate(
  db: Kysely<StoreDatabase>,
  dialect: StoreDialect,
  assertAlone: () => void,
): Promise<void> {
  const found = await findCompatibility(db, dialect)
  if (found !== undefined && found.oldest_code_version > SCHEMA_VERSION) throw tooNew(found)
  if (found !== undefined && found.schema_version >= SCHEMA_VERSION) return
  if (found !== undefined && found.schema_version < OLDEST_CODE_VERSION) assertAlone()
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => toMigrations(dialect) },
    migrationTableName: "migrations",
    migrationLockTableName: "migrations_lock",
    // The caller's transaction is the only one: all of it stands, or nothing.
    disableTransactions: true,
  })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  const row = { schema_version: SCHEMA_VERSION, oldest_code_version: OLDEST_CODE_VERSION }
  await db
    .insertInto("compatibility")
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute()
}

async function findCompatibility(
  db: Kysely<StoreDatabase>,
  { integerType, keyedTable }: StoreDialect,
): Promise<CompatibilityTable | undefined> {
  await db.schema
    .createTable("compatibility")
    .ifNotExists()
    .addColumn("id", integerType, (column) => column.notNull().primaryKey())
    .addColumn("schema_version", integerType, (column) => column.notNull())
    .addColumn("oldest_code_version", integerType, (column) => column.notNull())
    .modifyEnd(keyedTable)
    .execute()
  return db.selectFrom("compatibility").selectAll().executeTakeFirst()
}

/** Every migration, in the order of its name. */
function toMigrations(dialect: StoreDialect): Record<string, Migration> {
  return {
    "0001-initial": createInitialSchema(dialect),
    "0002-task-list": createTaskListIndex(),
    "0003-accounts": createAccountSchema(dialect),
    "0004-queue": createQueueSchema(dialect),
    "0005-seal": createSealSchema(dialect),
    "0006-deployment": createDeploymentSchema(dialect),
    "0007-channels": createChannelSchema(dialect),
    "0008-secret": createSecretSchema(dialect),
    "0009-outcomes": createOutcomeSchema(dialect),
  }
}

function tooNew({ schema_version, oldest_code_version }: CompatibilityTable): SafelightError {
  const message = `the database has schema ${schema_version} and needs a release that knows schema ${oldest_code_version}; this one knows ${SCHEMA_VERSION}. Start a newer release.`
  return new SafelightError({ code: "schema-too-new", message })
}
