/**
 * Connections to a replica. Each proves as it is opened that it leads to a standby of the primary's database: an address
 * may lead to one server now and to another later.
 */
import assert from "node:assert/strict"
import { DatabaseError, ownStatement, readStep, toRows, toStep } from "@safelight/store"
import { createOpener, type PostgresConnection } from "./connection.ts"

export interface ServerIdentity {
  /** That its data directory, and every copy of it, got when it was made. */
  readonly cluster: string
  readonly database: string
  readonly isStandby: boolean
  readonly processId: number
}

/** A role without the right to ask for the cluster gets an error that says so. */
export const IDENTIFY = ownStatement<ServerIdentity, object>(
  `select (select system_identifier::text from pg_catalog.pg_control_system()),
    (select oid::text from pg_catalog.pg_database where datname = current_database()),
    pg_is_in_recovery(), pg_backend_pid()`,
  [],
  ["cluster", "database", "isStandby", "processId"],
)

export const NO_STANDBY = "it is no standby, or no longer"

/** What it opens rejects with a `DatabaseError` of fault `unopened`. */
export function createReplicaOpener(
  url: string,
  identifyPrimary: () => Promise<ServerIdentity>,
): () => Promise<PostgresConnection> {
  const open = createOpener(url)("replica")

  return async () => {
    const primary = await identifyPrimary()
    const connection = await open()
    try {
      const fault = findFault(await identify(connection), primary, connection.processId)
      if (fault === undefined) return connection
      throw new DatabaseError({ fault: "unopened", message: fault })
    } catch (error) {
      connection.destroy()
      throw error
    }
  }
}

export async function identify(
  connection: Pick<PostgresConnection, "runStep">,
): Promise<ServerIdentity> {
  const [identity] = toRows(IDENTIFY, await readStep(connection, toStep(IDENTIFY, {})))
  assert.ok(identity, "a server has an identity")
  return identity
}

function findFault(
  found: ServerIdentity,
  primary: ServerIdentity,
  processId: number | null,
): string | undefined {
  if (!found.isStandby) return NO_STANDBY
  if (found.cluster !== primary.cluster) return "it is a standby of another server"
  if (found.database !== primary.database) return "it has another database than the primary"
  // What is proved of one session must hold for the next statement.
  if (found.processId !== processId) return "there is a pooler before it"
  return undefined
}
