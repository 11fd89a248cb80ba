/**
 * Migrations of a large database, from schema 11 to the newest, while others write: `migration_ms`, in which every lock of
 * theirs is taken and given back, and `migration_longest_write_ms`, the longest of the writes meanwhile.
 */
import { createPostgresStorage } from "@safelight/storage-postgres"
import { Client } from "pg"
import type { Database } from "./database.ts"

/** What later schemas added. Whoever adds another adds it here. */
const TO_SCHEMA_11 = [
  "drop table summed_hours, outcome_sums",
  "drop function outcomes_delete_summed_hours cascade",
  "alter table ready drop column pool_number, drop column pool_size",
  "update compatibility set schema_version = 11, oldest_code_version = 11",
]

const WRITERS = 4

/** As an older release would write, and undone; a lock on any of these tables holds it up. */
function toWrite(writer: number): string {
  const task = `'writer-${writer}'`
  return `begin;
    insert into ready (due_at, end_by, task, account, model) values (1, 1, ${task}, 'a', 'm');
    insert into outcomes (task, attempt, at, channel, charge_micros, cost_micros, cost_source, dispatched_at, model, outcome)
      values (${task}, 1, 1, 'a', 1, 0, 'none', 1, 'm', 'failed');
    insert into events (at, version, schema, task, type, hash, data) values (1, 1, 1, ${task}, 'submitted', '', '{}');
    update tasks set version = version where task = (select task from tasks order by task desc limit 1 offset ${writer});
    rollback`
}

/** Writes until it is told to stop; resolves to the longest write, in milliseconds. */
async function startWriter(url: string, writer: number): Promise<() => Promise<number>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const stopping = new AbortController()
  let longestMs = 0
  async function write(): Promise<void> {
    while (!stopping.signal.aborted) {
      const startedAt = performance.now()
      await client.query(toWrite(writer))
      longestMs = Math.max(longestMs, performance.now() - startedAt)
    }
  }
  const writing = write()
  return async () => {
    stopping.abort()
    await writing
    await client.end()
    return longestMs
  }
}

export async function measureMigration({
  query,
  url,
}: Database): Promise<readonly [number, number]> {
  for (const statement of TO_SCHEMA_11) await query(statement)
  const stops = await Promise.all(
    Array.from({ length: WRITERS }, (_, writer) => startWriter(url, writer)),
  )
  const startedAt = performance.now()
  const storage = await createPostgresStorage({ url })
  const tookMs = performance.now() - startedAt
  const longest = await Promise.all(stops.map((stop) => stop()))
  await storage.close()
  return [tookMs, Math.max(...longest)]
}
