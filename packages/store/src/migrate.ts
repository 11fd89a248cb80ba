/**
 * Brings a database to this release's schema, or refuses it. A database says itself which code
 * may use it: a newer schema that still allows this code is used as it is, never migrated back.
 * The caller holds a transaction or lock around this, so that two processes never migrate at once,
 * and so that a migration that fails leaves nothing behind.
 */
import { SafelightError } from "@safelight/core"
import { sql, type Kysely } from "kysely"
import type { StoreDialect } from "./sql/dialect.ts"
import { dropArtifactRows } from "./artifact-rows-schema.ts"
import { createArchive } from "./archive-schema.ts"
import { createChargedMeasures } from "./charged-measures-schema.ts"
import { createDefinitions } from "./definitions-schema.ts"
import { createInitialSchema } from "./initial-schema.ts"
import { createJudgedMoments } from "./judged-moments-schema.ts"
import { createOperatorChanges } from "./operator-changes-schema.ts"
import { createOutcomeSums } from "./outcome-sums-schema.ts"
import { createPackedNotes } from "./packed-notes-schema.ts"
import { createSealedMembers } from "./sealed-members-schema.ts"
import { createTreeBundles } from "./tree-bundles-schema.ts"
import { createQueuePools } from "./queue-pools-schema.ts"
import { createTree } from "./tree-schema.ts"

/**
 * Brings a database from the schema before to the next one. It is frozen once it was released: it calls
 * no code of this package that may change, and describes the tables as they were then.
 */
export type Migration = (db: Kysely<unknown>, dialect: StoreDialect) => Promise<void>

export interface Schema {
  /** The first one makes schema 1, the second one schema 2. */
  readonly migrations: readonly Migration[]
  /** The oldest code that may use a database of the newest schema, by the schema it was made for. */
  readonly oldestCodeVersion: number
}

const SCHEMA: Schema = {
  migrations: [
    createInitialSchema,
    createOperatorChanges,
    createJudgedMoments,
    createChargedMeasures,
    createDefinitions,
    createTree,
    createSealedMembers,
    createArchive,
    createPackedNotes,
    dropArtifactRows,
    createTreeBundles,
    createQueuePools,
    createOutcomeSums,
  ],
  // Older code finds no leaf that lies in a bundle, and would give its event another.
  oldestCodeVersion: 11,
}

/** The schema that this code writes. */
export const SCHEMA_VERSION = SCHEMA.migrations.length

export interface MigrateOptions {
  readonly dialect: StoreDialect
  /**
   * Called before a database is taken from the code that made it: rejects where that may still be
   * running.
   */
  readonly assertAlone?: () => void | Promise<void>
  /** By default that of this release. */
  readonly schema?: Schema
}

interface Compatibility {
  readonly schema_version: number
  readonly oldest_code_version: number
}

interface CompatibilityDatabase {
  /** One row, `id` 1. */
  readonly compatibility: Compatibility & { readonly id: number }
}

/** What there is of a schema; `known` is that of this code. */
export interface SchemaState {
  /** Absent if the database has no tables of ours. */
  readonly version?: number
  readonly known: number
}

/** Changes nothing. Rejects with the errors of `migrate` where this code may not use the database. */
export async function readSchemaState(db: Kysely<unknown>): Promise<SchemaState> {
  const tables = await db.introspection.getTables()
  const known = SCHEMA_VERSION
  if (!tables.some(({ name }) => name === "compatibility")) return { known }
  const own = db as Kysely<CompatibilityDatabase>
  const found = await own.selectFrom("compatibility").selectAll().executeTakeFirst()
  if (found === undefined) return { known }
  await assertUsable(db, found, known)
  return { version: found.schema_version, known }
}

/** For whoever may not migrate. Throws `invalid-configuration` if the database has no tables, or an older release's. */
export function assertMigrated({ known, version }: SchemaState): void {
  if (version !== undefined && version >= known) return
  const message =
    version === undefined
      ? "the database has no tables of Safelight"
      : `the database is an older release's, with schema ${version}, and this one reads schema ${known}: let it migrate a copy (\`safelight migrate\`), and read the copy`
  throw new SafelightError({ code: "invalid-configuration", message })
}

/**
 * Rejects with `schema-too-new` where only newer code may use the database, with `invalid-configuration` where
 * it is from before the first release.
 */
export async function migrate(db: Kysely<unknown>, options: MigrateOptions): Promise<void> {
  const { dialect, assertAlone = () => {}, schema = SCHEMA } = options
  const version = schema.migrations.length
  const own = db as Kysely<CompatibilityDatabase>
  const found = await findCompatibility(own, dialect)
  if (found !== undefined) {
    await assertUsable(db, found, version)
    if (found.schema_version >= version) return
    if (found.schema_version < schema.oldestCodeVersion) await assertAlone()
  }
  for (const run of schema.migrations.slice(found?.schema_version ?? 0)) await run(db, dialect)
  const row = { schema_version: version, oldest_code_version: schema.oldestCodeVersion }
  await own
    .insertInto("compatibility")
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
    .execute()
}

async function assertUsable(
  db: Kysely<unknown>,
  found: Compatibility,
  version: number,
): Promise<void> {
  if (!(await isOfRelease(db))) throw tooEarly(found)
  if (found.oldest_code_version > version) throw tooNew(found, version)
}

async function findCompatibility(
  db: Kysely<CompatibilityDatabase>,
  { integerType, keyedTable }: StoreDialect,
): Promise<Compatibility | undefined> {
  await db.schema
    .createTable("compatibility")
    .ifNotExists()
    .addColumn("id", integerType, (column) => column.notNull().primaryKey())
    .addColumn("schema_version", integerType, (column) => column.notNull())
    .addColumn("oldest_code_version", integerType, (column) => column.notNull())
    .modifyEnd(sql.raw(keyedTable))
    .execute()
  return db.selectFrom("compatibility").selectAll().executeTakeFirst()
}

/**
 * Layouts from before the first release had schemas numbered 1 to 9. What tells them apart from a release's
 * of the same number is a table that none of them has.
 */
async function isOfRelease(db: Kysely<unknown>): Promise<boolean> {
  const tables = await db.introspection.getTables()
  return tables.some(({ name }) => name === "webhook_deliveries")
}

function tooEarly({ schema_version }: Compatibility): SafelightError {
  const message = `the database was made by code from before the first release, with its schema ${schema_version} of that time, and no release can use it. Name an empty folder or database; what is in this one can be read only with the code that made it.`
  return new SafelightError({ code: "invalid-configuration", message })
}

function tooNew(
  { schema_version, oldest_code_version }: Compatibility,
  known: number,
): SafelightError {
  const message = `the database has schema ${schema_version} and needs a release that knows schema ${oldest_code_version}; this one knows ${known}. Start a newer release.`
  return new SafelightError({ code: "schema-too-new", message })
}
