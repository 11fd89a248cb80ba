/**
 * What can be told of a server and its database without using it: the schema, the role's rights, the clock, how many
 * connections are left. It reads in a transaction that can only read, so a service may run beside.
 */
import { SILENT_LOG, type Log } from "@safelight/core"
import { readSchemaState, type SchemaState } from "@safelight/store"
import type { Client } from "pg"
import { withClient } from "./client.ts"
import { createOpener } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import { examineServer } from "./examine-server.ts"
import { toKysely } from "./migrate-database.ts"
import type { Keeping } from "./keeping.ts"
import { createReplicaOpener, identify } from "./open-replica.ts"
import { parseGivenSettings } from "./server-address.ts"
import { toSettingStatement } from "./session-settings.ts"
import { toOpeningError } from "./sql-error.ts"

export interface PostgresFacts {
  readonly serverVersion: string
  readonly schema: SchemaState
  /** By how much the server's clock is ahead of `now`, ms; exact to half the time of an answer. */
  readonly aheadMs: number
  /** Whether it refuses writes: a standby, or a database or role that may only read. */
  readonly isReadOnly: boolean
  /** Rights that the role lacks, such as `INSERT on tasks`. */
  readonly lacking: readonly string[]
  readonly connections: { readonly used: number; readonly most: number }
  /** Whether a pooler between gives its sessions out by transaction. */
  readonly isPooled: boolean
  /** Why the server at `readUrl` would be left alone; undefined if it would not, or if none is named. */
  readonly replicaFault: string | undefined
  /** Settings and standbys with which it may lose what it acknowledged, in words for people. */
  readonly warnings: readonly string[]
}

export interface ExamineOptions {
  readonly url: string
  /** As of `createPostgresStorage`. */
  readonly listenUrl?: string
  readonly readUrl?: string
  readonly now: () => number
}

const SETTINGS = { timezone: "UTC", statement_timeout: String(DEFAULTS.statementTimeoutMs) }

const READ_SERVER = `
  select current_setting('server_version') as version,
    pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as is_read_only,
    coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) as may_create,
    (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as used,
    current_setting('max_connections')::int as most`

/** Of the tables that every service writes; a table that a later schema brings is not missed. */
const READ_LACKING = `
  select privilege || ' on ' || name as lacking
  from unnest(array['tasks', 'events', 'ready', 'inputs', 'accounts', 'keys']) as name,
    unnest(array['SELECT', 'INSERT']) as privilege
  where to_regclass(name) is not null and not has_table_privilege(name, privilege)`

/** Rejects with `invalid-configuration`, `schema-too-new` or `storage-unavailable`. */
export async function examinePostgres(options: ExamineOptions): Promise<PostgresFacts> {
  const warnings: string[] = []
  const warn: Log["warn"] = ({ warning }) => void warnings.push(String(warning))
  try {
    const { keeping } = await examineServer({ ...options, log: { ...SILENT_LOG, warn } })
    const client = {
      url: options.url,
      settings: keeping.settings ? SETTINGS : undefined,
      application_name: "safelight doctor",
      query_timeout: DEFAULTS.replyTimeoutMs,
    }
    const facts = await withClient(client, (opened) => examine(opened, options))
    const replicaFault = await findReplicaFault(options, keeping)
    return { ...facts, isPooled: !keeping.sessions, replicaFault, warnings }
  } catch (error) {
    throw toOpeningError(error)
  }
}

async function examine(
  client: Client,
  { now, url }: ExamineOptions,
): Promise<Omit<PostgresFacts, "isPooled" | "replicaFault" | "warnings">> {
  const aheadMs = await readAhead(client, now)
  const settings = toSettingStatement({ ...parseGivenSettings(url), ...SETTINGS })
  await client.query(`begin; ${settings}`)
  const { rows } = await client.query(READ_SERVER)
  const { is_read_only, may_create, most, used, version } = rows[0]
  await client.query("set transaction read only")
  const schema = await readSchemaState(toKysely(client))
  const lacking = (await client.query(READ_LACKING)).rows.map((row) => String(row.lacking))
  await client.query("rollback")
  const needsTables = schema.version === undefined || schema.version < schema.known
  const missing = needsTables && may_create !== true ? ["CREATE on the schema"] : []
  return {
    serverVersion: String(version),
    schema,
    aheadMs,
    isReadOnly: is_read_only === true,
    lacking: [...missing, ...lacking],
    connections: { used: Number(used), most: Number(most) },
  }
}

async function readAhead(client: Client, now: () => number): Promise<number> {
  const askedAt = now()
  const { rows } = await client.query("select extract(epoch from clock_timestamp()) * 1000 as at")
  return Math.round(Number(rows[0].at) - (askedAt + now()) / 2)
}

async function findReplicaFault(
  { readUrl, url }: ExamineOptions,
  keeping: Keeping,
): Promise<string | undefined> {
  if (readUrl === undefined) return undefined
  const primary = await createOpener(url, keeping)("examining")()
  try {
    const replica = await createReplicaOpener(readUrl, () => identify(primary))()
    await replica.end()
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    await primary.end()
  }
}
