/**
 * The settings that a storage needs of its sessions, and the check that they hold. Settings are sent with
 * the connection; poolers may drop them silently, or give every transaction another session.
 */
import { SafelightError } from "@safelight/core"
import type { RawRows } from "@safelight/store"
import type { PostgresConnection } from "./connection.ts"
import { DEFAULTS } from "./defaults.ts"
import type { NamedQuery } from "./named-query.ts"
import { readState } from "./sql-error.ts"

/** In the units of `pg_settings`: milliseconds. */
export interface CrucialSettings {
  readonly synchronous_commit: "on"
  readonly statement_timeout: number
  /** A process that stops between two statements does not hold its locks for long. */
  readonly idle_in_transaction_session_timeout: number
  readonly lock_timeout?: number
}

/** Our own, but for time-outs that the URL names: `pg` sends those past `options`. */
export function toCrucialSettings(
  url: string,
  statementTimeoutMs: number,
  planning: "batches" | "rows",
): CrucialSettings {
  const { searchParams } = new URL(url)
  const given = (name: string, ours: number): number => Number(searchParams.get(name) ?? ours)
  return {
    synchronous_commit: "on",
    statement_timeout: given("statement_timeout", statementTimeoutMs),
    idle_in_transaction_session_timeout: given(
      "idle_in_transaction_session_timeout",
      DEFAULTS.idleTransactionMs,
    ),
    ...(planning === "batches" && {
      lock_timeout: given("lock_timeout", DEFAULTS.lockTimeoutMs),
    }),
  }
}

const READ_SETTINGS = {
  name: "settings",
  text: "select name, setting from pg_settings where name = any($1::text[])",
}

/**
 * Rejects with `invalid-configuration` where the session has another setting than was sent, or is one
 * that another connection had before.
 */
export async function assertSettings(
  run: (query: NamedQuery) => Promise<RawRows>,
  settings: CrucialSettings,
): Promise<void> {
  const sent = Object.entries(settings)
  const names = `{${sent.map(([name]) => name).join(",")}}`
  const rows = await run({ ...READ_SETTINGS, values: [names] }).catch(rejectForeign)
  const found = new Map(rows.map(([name, setting]) => [name, setting]))
  for (const [name, value] of sent) {
    if (found.get(name) === String(value)) continue
    throw invalid(
      `${name} is ${String(found.get(name))} where ${value} was sent: a pooler between drops what is sent with a connection; connect directly, or run: alter role <role> set ${name} = '${value}'`,
    )
  }
}

/** An answer of a session that does not know a statement which it prepared, or knows another's. */
const FOREIGN_STATEMENT = /^(26000|42P05)$/

/** Some poolers give out one session after another. */
const ROUNDS = 3

/**
 * Rejects with `invalid-configuration` where two connections share sessions: while one holds a
 * transaction, the other has to keep the session that it had.
 */
export async function assertOwnSessions(
  one: PostgresConnection,
  other: PostgresConnection,
): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [before, others, after] = await readSessions(one, other).catch(rejectForeign)
    if (before !== after || before === others) throw sharedSessions()
  }
}

/** An error of a statement that another connection prepared, or lost, says that they share sessions. */
function rejectForeign(error: unknown): never {
  throw FOREIGN_STATEMENT.test(readState(error) ?? "") ? sharedSessions() : error
}

async function readSessions(
  one: PostgresConnection,
  other: PostgresConnection,
): Promise<readonly unknown[]> {
  const before = await readSession(one)
  await other.execute("begin")
  const others = await readSession(other)
  const after = await readSession(one)
  await other.execute("commit")
  return [before, others, after]
}

async function readSession({ run }: PostgresConnection): Promise<unknown> {
  const [row] = await run({ name: "session", text: "select pg_backend_pid()", values: [] })
  return row?.[0]
}

function sharedSessions(): SafelightError {
  return invalid(
    "connections share sessions, so statements that are prepared get lost: a pooler between works by transaction or statement; connect directly, or set it to pool by session",
  )
}

function invalid(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message: `PostgreSQL: ${message}` })
}
