/**
 * Opens the data for a command, a folder or a PostgreSQL database, usually beside a running service. A place
 * without data is refused unless the command may create it: a mistyped place must not make a new database.
 * Sealed data can be read, and used by the commands that move it. What a command changes is recorded.
 */
import { access } from "node:fs/promises"
import { join } from "node:path"
import { assertServable, isSafelightError, SafelightError, type Storage } from "@safelight/core"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { refused } from "../errors/command-error.ts"
import type { ReadConfiguration } from "../configuration/configuration.ts"
import { openArchive } from "./open-archive.ts"
import type { ArtifactPlace } from "./open-places.ts"
import { withIgnoredFolder } from "./ignored-folder.ts"
import { toMachineFault } from "../errors/machine-fault.ts"

export interface OpenDataRequest {
  readonly configuration: ArtifactPlace & Pick<ReadConfiguration, "database" | "readDatabase">
  readonly mayCreate: boolean
  /**
   * `write` (the default) is refused on sealed data. `move` locks a folder against every service and every other
   * transfer until it has finished; on a PostgreSQL database it locks nothing, and services continue. `inspect` reads as
   * `read` does, and the database itself is asked to refuse everything else: it is not migrated either.
   */
  readonly purpose?: "read" | "write" | "move" | "inspect"
  /** The option that names the place, if another than usual does: its errors begin with it. */
  readonly option?: string
}

/**
 * Calls `use` with the storage, and closes it in any case. Rejects as `use` does; with a `CommandError` or the
 * storage's own error if the data can't be opened; and with `in-transfer` if it is sealed or being imported, unless
 * the purpose allows that.
 */
export async function withData<Result>(
  request: OpenDataRequest,
  use: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const storage = await open(request).catch((error: unknown) => {
    throw toNamed(toMachineFault(error), request)
  })
  try {
    const { purpose = "write" } = request
    storage.useArchive(openArchive(request.configuration))
    if (purpose === "write") assertServable(await storage.listTransfers())
    return await use(storage)
  } finally {
    await storage.close()
  }
}

async function open(request: OpenDataRequest): Promise<Storage> {
  const { configuration, mayCreate, option = "--data", purpose = "write" } = request
  const { data: folder, database: url, readDatabase } = configuration
  if (url !== undefined) {
    const replica = purpose === "read" && readDatabase !== undefined && { readUrl: readDatabase }
    const mode = purpose === "inspect" ? "read" : "beside"
    return createPostgresStorage({ url, mode, mayCreate, ...replica })
  }
  if (!mayCreate) await requireDatabase(folder, option)
  const mode = MODES[purpose]
  return withIgnoredFolder(folder, () => createSqliteStorage({ folder, mode }))
}

const MODES = { inspect: "read", move: "alone", read: "beside", write: "beside" } as const

async function requireDatabase(folder: string, option: string): Promise<void> {
  await access(join(folder, "safelight.db")).catch((cause: unknown) => {
    const message = `there is no Safelight database in ${folder}; ${option} names the folder`
    throw refused(message, cause)
  })
}

function toNamed(error: unknown, { option }: OpenDataRequest): unknown {
  if (option === undefined || !isSafelightError(error)) return error
  const { code, message } = error
  return new SafelightError({ code, message: `${option}: ${message}`, cause: error })
}
