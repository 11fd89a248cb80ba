/**
 * The settings that a storage needs of its sessions. They are sent with the connection where they hold then, and
 * otherwise at the beginning of each transaction, which they last for. A pooler may drop the former silently, so
 * whether they hold is read back.
 */
import { SafelightError } from "@safelight/core"
import type { RawRows } from "@safelight/store"
import { DEFAULTS } from "./defaults.ts"
import type { Query } from "./named-query.ts"
import { parseGivenSettings } from "./server-address.ts"

/** By name; numbers are in the units of `pg_settings`. */
export type Settings = Readonly<Record<string, string>>

/** What a connection mostly runs. */
export type Planning = keyof typeof PLANNING

/** For every connection, in addition to the crucial ones. */
const SETTINGS = {
  enable_seqscan: "off",
  jit: "off",
  bytea_output: "hex",
  timezone: "UTC",
} satisfies Settings

/** A transaction can't be given it once its first statement has begun. */
const ISOLATION = { default_transaction_isolation: "read committed" } satisfies Settings

/**
 * Statements are few, prepared, and written for their indexes; planning each again would cost more
 * than carrying it out. A batch names what it looks up by arrays and joins them by a hash, anything
 * else follows an index from row to row.
 */
const PLANNING = {
  batches: {
    plan_cache_mode: "force_generic_plan",
    enable_nestloop: "off",
    enable_mergejoin: "off",
  },
  rows: { plan_cache_mode: "force_generic_plan", enable_hashjoin: "off", enable_mergejoin: "off" },
} satisfies Record<string, Settings>

/** Time-outs that `pg` sends by themselves where the URL names them: these hold in place of ours. */
export const TIMEOUTS = [
  "statement_timeout",
  "idle_in_transaction_session_timeout",
  "lock_timeout",
] as const

/** Those without which a write may be lost, or a lock held for ever. */
export function toCrucialSettings(url: string, planning: Planning): Settings {
  const { searchParams } = new URL(url)
  const ours = {
    statement_timeout: DEFAULTS.statementTimeoutMs,
    // A process that stops between two statements does not hold its locks for long.
    idle_in_transaction_session_timeout: DEFAULTS.idleTransactionMs,
    lock_timeout: planning === "batches" ? DEFAULTS.lockTimeoutMs : undefined,
  }
  const timeouts = TIMEOUTS.flatMap((name) => {
    const value = ours[name] === undefined ? undefined : (searchParams.get(name) ?? ours[name])
    return value === undefined ? [] : [[name, String(Number(value))] as const]
  })
  return { synchronous_commit: "on", ...Object.fromEntries(timeouts) }
}

/** What is sent with a connection, less what the URL names. */
export function toSessionSettings(url: string, planning: Planning): Settings {
  const crucial = toCrucialSettings(url, planning)
  return { ...SETTINGS, ...ISOLATION, client_encoding: "UTF8", ...PLANNING[planning], ...crucial }
}

/** What is sent with each transaction: what the URL names, and ours, which hold. */
export function toTransactionSettings(url: string, planning: Planning): Settings {
  const given = parseGivenSettings(url)
  return { ...given, ...SETTINGS, ...PLANNING[planning], ...toCrucialSettings(url, planning) }
}

/**
 * The statement that gives its transaction these settings. It returns no row. Without a transaction that was begun
 * it holds for what is sent before the next Sync, which is one transaction too.
 */
export function toSettingStatement(settings: Settings): string {
  // A call of its own for each would take three times as long to parse.
  const all = quote(JSON.stringify(settings))
  return `select from json_each_text(${all}) where set_config(key, value, true) is null`
}

/** Whatever `standard_conforming_strings` is. */
function quote(text: string): string {
  const quoted = text.replaceAll("'", "''")
  return quoted.includes("\\") ? ` E'${quoted.replaceAll("\\", "\\\\")}'` : `'${quoted}'`
}

const READ_SETTINGS = "select name, setting from pg_settings where name = any($1::text[])"

/** The first of `wanted` that is another one in the session: its name and what it is. */
async function findOther(
  run: (query: Query) => Promise<RawRows>,
  wanted: Settings,
): Promise<{ readonly name: string; readonly found: string } | undefined> {
  const names = `{${Object.keys(wanted).join(",")}}`
  const rows = await run({ text: READ_SETTINGS, values: [names] })
  const all = new Map(rows.map(([name, setting]) => [String(name), String(setting)]))
  for (const [name, value] of Object.entries(wanted)) {
    const found = String(all.get(name))
    if (found !== value) return { name, found }
  }
  return undefined
}

/** Rejects with `invalid-configuration` where the session has another setting than was sent. */
export async function assertSettings(
  run: (query: Query) => Promise<RawRows>,
  settings: Settings,
): Promise<void> {
  const other = await findOther(run, settings)
  if (other === undefined) return
  const { name, found } = other
  throw invalid(
    `${name} is ${found} where ${settings[name]} was sent: a pooler between has begun to drop what is sent with a connection; restart this process, which then sends it with each transaction`,
  )
}

const READ_ROLE = "select quote_ident(current_user), quote_ident(current_database())"

/**
 * Rejects with `invalid-configuration` where sessions that get no settings at their beginning isolate
 * transactions otherwise: that is the one setting which can't follow later.
 */
export async function assertIsolation(run: (query: Query) => Promise<RawRows>): Promise<void> {
  const other = await findOther(run, ISOLATION)
  if (other === undefined) return
  const { name, found } = other
  const [[role, database] = []] = await run({ text: READ_ROLE, values: [] })
  throw invalid(
    `${name} is ${found} and has to be ${ISOLATION.default_transaction_isolation}, which can't be sent through the pooler between; run: alter role ${String(role)} in database ${String(database)} set ${name} = '${ISOLATION.default_transaction_isolation}' and restart the pooler`,
  )
}

export function invalid(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message: `PostgreSQL: ${message}` })
}
