/**
 * Whether an older release may be using the database. Its processes would not notice that the schema changes under them,
 * and what a provider has made for them could not be recorded. A connection says by its name that it is in use; one that
 * only starts or examines is not counted, since it waits for the migration or ends.
 */
import { SafelightError } from "@safelight/core"
import type { Client } from "pg"

/** The same in every release. */
const IN_USE = ["reading", "taking", "summing", "committing"].map((name) => `safelight ${name}`)

const COUNT = `select count(*)::int as count from pg_stat_activity
  where datname = current_database() and application_name = any($1)`

/** Rejects with `already-served`. */
export async function assertAlone(client: Client): Promise<void> {
  const { rows } = await client.query<{ readonly count: number }>(COUNT, [IN_USE])
  const { count = 0 } = rows[0] ?? {}
  if (count === 0) return
  const message = `an older release uses this database (open connections: ${count}), and can't once this one has migrated it: stop all its processes first (a pooler may keep their connections for minutes)`
  throw new SafelightError({ code: "already-served", message })
}
