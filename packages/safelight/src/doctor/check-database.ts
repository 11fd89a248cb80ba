/** The database: whether it is reached, of which schema, writable, with which clock. It is neither made nor migrated. */
import { join } from "node:path"
import { toAddresses } from "../data/open-places.ts"
import { formatSize } from "../text/size.ts"
import { compareClocks } from "./clock-words.ts"
import { findUnwritable } from "./check-disk.ts"
import { findStranger } from "./find-stranger.ts"
import { fault, ok, orElse, warning, type Finding } from "./finding.ts"
import type { Surroundings } from "./surroundings.ts"

const NAME = "database"

export function checkDatabase(surroundings: Surroundings): Promise<readonly Finding[]> {
  const { configuration } = surroundings
  const { database } = configuration
  if (database === undefined) return checkFile(surroundings)
  return checkServer(toAddresses(database, configuration), surroundings)
}

/** Another command may write for a moment, never for long. */
const BUSY_MS = 2_000

async function checkFile({ configuration }: Surroundings): Promise<readonly Finding[]> {
  const { examineSqlite } = await import("@safelight/storage-sqlite")
  const { data: folder } = configuration
  const facts = await examineSqlite({ folder, busyTimeoutMs: BUSY_MS })
  const file = join(folder, "safelight.db")
  if (facts === undefined) {
    const unwritable = await findUnwritable(folder)
    if (unwritable !== undefined) return [toUnwritable(unwritable)]
    return [ok(NAME, `none yet: the first start makes ${file}`)]
  }
  const { bytes, isLocked, isWritable, schema } = facts
  const found = [
    findStranger(NAME, folder),
    isWritable ? undefined : toUnwritable(folder),
    isLocked
      ? fault(
          NAME,
          `another process holds the lock for writing of ${file}`,
          "end the program that has it open in a transaction, such as a shell of sqlite3",
        )
      : undefined,
    findOlder(schema),
  ]
  return orElse(found, ok(NAME, `${file}, ${formatSize(bytes)}, schema ${schema.version}`))
}

function toUnwritable(path: string): Finding {
  return fault(
    NAME,
    `${path} can't be written by this user`,
    "give it to the user of the service, on a file system that is not read-only",
  )
}

function findOlder({
  known,
  version,
}: {
  readonly known: number
  readonly version?: number
}): Finding | undefined {
  if (version === undefined) {
    return warning(NAME, "it has no tables yet", "start the service, which makes them")
  }
  if (version >= known) return undefined
  return warning(
    NAME,
    `it has schema ${version}, and this release works with ${known}`,
    "back it up and start this release, which migrates it",
  )
}

/** What a node keeps open at most. */
const NODE_CONNECTIONS = 11

async function checkServer(
  addresses: ReturnType<typeof toAddresses>,
  { clock }: Surroundings,
): Promise<readonly Finding[]> {
  const { examinePostgres } = await import("@safelight/storage-postgres")
  const facts = await examinePostgres({ ...addresses, now: () => clock.now() })
  const { aheadMs, connections, isPooled, isReadOnly, lacking, replicaFault, schema } = facts
  const left = connections.most - connections.used
  const found = [
    isReadOnly
      ? fault(NAME, "it refuses writes", "name the primary, with a role that may write")
      : undefined,
    lacking.length > 0
      ? fault(
          NAME,
          `the role lacks ${lacking.join(", ")}`,
          "grant it that, or make the role the owner of the database",
        )
      : undefined,
    left < NODE_CONNECTIONS
      ? warning(
          NAME,
          `${left} of its ${connections.most} connections are left, and a node takes up to ${NODE_CONNECTIONS}`,
          "raise max_connections, or end what else is connected",
        )
      : undefined,
    compareClocks(NAME, "the database, which counts,", aheadMs),
    findOlder(schema),
    replicaFault === undefined
      ? undefined
      : warning(
          NAME,
          `the standby to read from can't be used: ${replicaFault}`,
          "name a standby of this database, reached without a pooler",
        ),
    ...facts.warnings.map((words) => warning(NAME, words, "change it on the server")),
  ]
  const way = isPooled ? [ok(NAME, "reached through a pooler that works by transaction")] : []
  return [
    ...orElse(found, ok(NAME, `PostgreSQL ${facts.serverVersion}, schema ${schema.version}`)),
    ...way,
  ]
}
