/**
 * Whether an older release may be using the database. Its processes would not notice that the schema changes under them,
 * and what a provider has made for them could not be recorded. A connection says by its name that it is in use; one that
 * only starts or examines is not counted, since it waits for the migration or ends. A pooler may hide the names.
 */
import { setTimeout } from "node:timers/promises"
import { SafelightError } from "@safelight/core"
import type { Client } from "pg"

/** The same in every release. */
const IN_USE = ["reading", "taking", "summing", "committing"].map((name) => `safelight ${name}`)

/** Activity is read once a transaction, unless what was read is forgotten. */
const COUNT = `select count(*)::int as count from pg_stat_activity, pg_stat_clear_snapshot()
  where datname = current_database() and pid <> pg_backend_pid() and application_name = any($1)`

/** The server ends the sessions of a process that has ended within this. */
const PATIENCE_MS = 3_000
const LOOK_MS = 100

/** `url`: with the name that connections of older releases had if it says one. Rejects with `already-served`. */
export async function assertAlone(client: Client, url: string): Promise<void> {
  const given = new URL(url).searchParams.getAll("application_name")
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- until none is left
    const { rows } = await client.query<{ readonly count: number }>(COUNT, [[...IN_USE, ...given]])
    const { count = 0 } = rows[0] ?? {}
    if (count === 0) return
    if (performance.now() > deadline) throw createRefusal(count)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await setTimeout(LOOK_MS)
  }
}

function createRefusal(count: number): SafelightError {
  const message = `an older release uses this database (open connections: ${count}) and could not after its migration: stop all its processes first (a pooler may keep their connections for minutes)`
  return new SafelightError({ code: "already-served", message })
}
