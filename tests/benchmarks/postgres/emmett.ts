/** Emmett's event store: one event appended to a new stream, of the same bytes as our own first event. */
import { getPostgreSQLEventStore } from "@event-driven-io/emmett-postgresql"
import { Pool } from "pg"
import { POOL_SIZE } from "./database.ts"
import type { Contender } from "./race.ts"

export interface Emmett extends Contender, AsyncDisposable {}

interface Submitted {
  readonly type: "submitted"
  readonly data: Record<string, unknown>
  readonly kind?: "Event"
}

/** `data`: an event's data as JSON. */
export async function openEmmett(url: string, data: string): Promise<Emmett> {
  const pool = new Pool({ connectionString: url, max: POOL_SIZE })
  pool.on("error", (error) => {
    throw error
  })
  const store = getPostgreSQLEventStore(url, { connectionOptions: { pool } })
  await store.schema.migrate()
  const event: Submitted = { type: "submitted", data: JSON.parse(data) as Record<string, unknown> }
  let streams = 0
  return {
    work() {
      streams += 1
      return store.appendToStream<Submitted>(`task-${streams}`, [event])
    },
    async [Symbol.asyncDispose]() {
      await store.close()
      await pool.end()
    },
  }
}
