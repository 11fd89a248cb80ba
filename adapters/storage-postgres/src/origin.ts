/**
 * Where the database stands: on which server, by the identifier that its data directory got when it
 * was made, and which of its databases. A standby that takes over has the same of both, and so has
 * whatever else was made from the server's files. A role without the right to ask for the server leaves
 * that part as it was recorded; one with the right adds it.
 */
import assert from "node:assert/strict"
import type { Log } from "@safelight/core"
import type { Origins } from "@safelight/store"
import type { Sessions } from "./sessions.ts"

/** Null where the server has no such function. */
const FIND_RIGHT = {
  name: "find right to origin",
  text: `select d.oid::text, has_function_privilege(to_regprocedure('pg_catalog.pg_control_system()'), 'execute')
    from pg_catalog.pg_database d where d.datname = current_database()`,
  values: [],
}

const READ_SERVER = {
  name: "read origin",
  text: "select system_identifier::text from pg_catalog.pg_control_system()",
  values: [],
}

export function createOriginReader(sessions: Sessions, log: Log): () => Promise<Origins> {
  let isTold = false

  return async () => {
    const [found] = await sessions.readRows(FIND_RIGHT)
    assert.ok(found, "a session is in a database")
    const database = String(found[0])
    if (found[1] === true) {
      const [row] = await sessions.readRows(READ_SERVER)
      const origin = { database, server: String(row?.[0]) }
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
