/**
 * Where the database stands: on which server, by the identifier that its data directory got when it
 * was made, and which of its databases. A standby that takes over has the same of both, and so has
 * whatever else was made from the server's files. A role without the right to ask for the server leaves
 * that part as it was recorded; one with the right adds it.
 */
import assert from "node:assert/strict"
import type { DeploymentStorage, Log } from "@safelight/core"
import {
  fromDeploymentRecord,
  toDeploymentValues,
  type DatabaseOrigin,
  type DeploymentSecretsTable,
  type DeploymentTable,
  type StoreStatements,
} from "@safelight/store"
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

export function createDeploymentMethods(
  sessions: Sessions,
  { deployment }: StoreStatements,
  log: Log,
): DeploymentStorage {
  let isTold = false

  async function readOrigin(): Promise<DatabaseOrigin> {
    const [found] = await sessions.readRows(FIND_RIGHT)
    assert.ok(found, "a session is in a database")
    const database = String(found[0])
    if (found[1] === true) {
      const [row] = await sessions.readRows(READ_SERVER)
      return { database, server: String(row?.[0]) }
    }
    if (!isTold) {
      isTold = true
      const advice = "grant execute on function pg_control_system() to the role"
      log.warn({ advice }, "a copy of this database on another server can't be told from it")
    }
    return { database }
  }

  async function readRecord(): Promise<DeploymentTable | undefined> {
    const [record] = await sessions.read<DeploymentTable>(deployment.find, {})
    return record
  }

  async function readSecret(): Promise<string | undefined> {
    type Row = Pick<DeploymentSecretsTable, "secret">
    return (await sessions.read<Row>(deployment.findSecret, {}))[0]?.secret
  }

  return {
    async readDeployment() {
      const origin = await readOrigin()
      return fromDeploymentRecord(await readRecord(), origin)
    },
    async recordDeployment(request) {
      const origin = await readOrigin()
      const values = toDeploymentValues(request, origin, await readRecord())
      return (await sessions.change(deployment.record, values)) === 1
    },
    async agreeOnSecret(proposed) {
      const made = await readSecret()
      if (made !== undefined) return made
      await sessions.transact("begin", async ({ change }) => {
        await change(deployment.insertSecret, { secret: proposed })
        await change(deployment.pruneSecrets, {})
      })
      const agreed = await readSecret()
      assert.ok(agreed !== undefined, "a secret that was written is there")
      return agreed
    },
  }
}
