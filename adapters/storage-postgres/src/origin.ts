/**
 * Where the database stands: on which server, by the identifier that its data directory got when it
 * was made, and which of its databases. A standby that takes over has the same of both, and so has
 * whatever else was made from the server's files. A role without the right to ask for the server leaves
 * that part as it was recorded; one with the right adds it.
 */
import assert from "node:assert/strict"
import type { Log } from "@safelight/core"
import { ownStatement, type Connections, type Origins } from "@safelight/store"

/** The right is null where the server has no such function. */
const FIND_RIGHT = ownStatement<
  { readonly database: string; readonly mayAsk: boolean | null },
  object
>(
  `select d.oid::text, has_function_privilege(to_regprocedure('pg_catalog.pg_control_system()'), 'execute')
    from pg_catalog.pg_database d where d.datname = current_database()`,
  [],
  ["database", "mayAsk"],
)

const FIND_SERVER = ownStatement<{ readonly server: string }, object>(
  "select system_identifier::text from pg_catalog.pg_control_system()",
  [],
  ["server"],
)

export function createOriginReader(
  { read }: Pick<Connections, "read">,
  log: Log,
): () => Promise<Origins> {
  let isTold = false

  return async () => {
    const [found] = await read(FIND_RIGHT, {})
    assert.ok(found, "a session is in a database")
    const { database, mayAsk } = found
    if (mayAsk === true) {
      const [row] = await read(FIND_SERVER, {})
      const origin = { database, server: String(row?.server) }
      return { whole: origin, certain: origin }
    }
    if (!isTold) {
      isTold = true
      const advice = "grant execute on function pg_control_system() to the role"
      log.warn({ advice }, "server identifier not read")
    }
    return { whole: { database }, certain: { database } }
  }
}
