/**
 * Brings the database to this release's schema, in one transaction behind an advisory lock: of several
 * processes that start together one migrates and the others find it done. A release whose schema an
 * older one may still use changes it under that one's feet, and holds no lock for long. Any other waits for nobody: it
 * refuses while an older one is connected.
 */
import { assertServable, SafelightError } from "@safelight/core"
import { createCompiler, migrate, TRANSFER_STATEMENTS, toRows } from "@safelight/store"
import { Kysely, PostgresDialect } from "kysely"
import type { Client } from "pg"
import { assertAlone } from "./assert-alone.ts"
import { withClient } from "./client.ts"
import { POSTGRES_DIALECT } from "./dialect.ts"
import type { Keeping } from "./keeping.ts"
import { parseGivenSettings } from "./server-address.ts"
import { toSettingStatement } from "./session-settings.ts"

/** Any number, the same in every release: "safeligh" read as one. */
const MIGRATION_LOCK = "8314037905010632552"

/** Whoever writes waits behind a migration that waits, for a vacuum say: so it gives up, and another start tries again. */
const LOCK_TIMEOUT_MS = 2_000

export interface MigrateOptions {
  readonly url: string
  readonly keeping: Keeping
  /** Whether tasks are to be served, which a database that moved away refuses. */
  readonly isServing: boolean
  /** Whether a database without a schema gets one. */
  readonly mayCreate: boolean
}

/** As every other connection has it, so that a moment means the same wherever it is read. */
const SETTINGS = {
  timezone: "UTC",
  // A process that stops while it holds the lock does not keep others from starting for ever.
  idle_in_transaction_session_timeout: "60000",
}

/** Moments that come in the order of insertion, nearly: a summary of pages finds them, and costs inserts nothing. */
const SUMMARISED = {
  ready_end: "ready (end_by)",
  retention_due: "retention (due_at)",
  outcomes_ended: "outcomes (at)",
}

/** Of the pages of `tasks`, in percent. */
const FILL_FACTOR = 36

/**
 * Rows that are updated in place need room in their page, and a queue that is emptied as fast as it is
 * filled needs to be swept at once. They change no meaning, so they are no part of the schema.
 */
const TUNING = [
  ...Object.entries(SUMMARISED).flatMap(([index, on]) => [
    `drop index ${index}`,
    `create index ${index} on ${on.replace(" ", " using brin ")} with (pages_per_range = 16, autosummarize = on)`,
  ]),
  // A row of 0.6 KB grows to 1.3 in two changes. With four rows to a page both find room in it, where earlier versions
  // of the rows are removed: then no index is written, and of the row only what differs. Only if a channel answers
  // within milliseconds, one change in eight still sees them and moves its row. With five rows to a page one in 25 does
  // in any case. So no index may hold a column of `tasks` that changes.
  `alter table tasks set (fillfactor = ${FILL_FACTOR}, autovacuum_vacuum_scale_factor = 0.05)`,
  `alter table ready set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0,
    autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)`,
]

/**
 * Databases of earlier releases had three rows to a page. The next start tries again if a vacuum holds the table, and a
 * role that does not own it leaves it as it is.
 */
const RETUNING = `do $$ begin
  if exists (select from pg_class where oid = 'tasks'::regclass and 'fillfactor=28' = any (reloptions)) then
    set local lock_timeout = '1s';
    alter table tasks set (fillfactor = ${FILL_FACTOR});
  end if;
exception when lock_not_available or insufficient_privilege then
end $$`

export async function migrateDatabase(options: MigrateOptions): Promise<void> {
  const { url, keeping, isServing, mayCreate } = options
  const connection = {
    url,
    settings: keeping.settings ? SETTINGS : undefined,
    application_name: "safelight migration",
  }
  await withClient(connection, async (client) => {
    // The lock is the transaction's: a pooler may give the session to somebody else afterwards.
    const settings = toSettingStatement({ ...parseGivenSettings(url), ...SETTINGS })
    await client.query(`begin; ${settings}; select pg_advisory_xact_lock(${MIGRATION_LOCK})`)
    const isNew = (await client.query("select to_regclass('events') as t")).rows[0].t === null
    if (isNew && !mayCreate) throw noSchema()
    if (!isNew) await client.query(`set local lock_timeout = '${LOCK_TIMEOUT_MS}'`)
    await migrate(toKysely(client), {
      dialect: POSTGRES_DIALECT,
      assertAlone: () => assertAlone(client, url),
    })
    for (const sql of isNew ? TUNING : [RETUNING]) await client.query(sql)
    if (isServing) {
      const { listTransfers } = TRANSFER_STATEMENTS(createCompiler(POSTGRES_DIALECT))
      const { rows } = await client.query({ text: listTransfers.sql, rowMode: "array" })
      assertServable(toRows(listTransfers, rows))
    }
    await client.query("commit")
  })
}

function noSchema(): SafelightError {
  return new SafelightError({
    code: "invalid-configuration",
    message: "this PostgreSQL database holds no data of Safelight",
  })
}

/** The migrator's own statements run on the one connection that holds the lock. */
export function toKysely(client: Client): Kysely<unknown> {
  const held = {
    query: (text: string, values: unknown[]) => client.query(text, values),
    release() {},
  }
  const pool = { connect: async () => held, end: async () => undefined, options: {} }
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool: pool as never }) })
}
