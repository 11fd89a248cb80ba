/**
 * Opens the data of a command, a folder or a PostgreSQL database, mostly beside a running service. One
 * that holds nothing is refused where the command makes none: a mistyped place must not make a new one.
 * Data that moved is there to be read, and for the commands that move it.
 */
import { access } from "node:fs/promises"
import { join } from "node:path"
import { assertServable, type Storage } from "@safelight/core"
import { createPostgresStorage } from "@safelight/storage-postgres"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { refused } from "./command-error.ts"
import type { Configuration } from "./configuration/configuration.ts"
import { withIgnoredFolder } from "./ignored-folder.ts"
import { toMachineFault } from "./machine-fault.ts"

export interface OpenDataRequest {
  readonly configuration: Pick<Configuration, "data" | "database">
  readonly mayCreate: boolean
  /**
   * What is done to it: `write` (the default) is refused on data that moved. `move` takes a folder from
   * every service, and from other transfers, until it is through; a PostgreSQL database it takes from
   * nobody, and services that run on it go on.
   */
  readonly purpose?: "read" | "write" | "move"
}

/** Hands the storage to `use` and closes it, whatever comes of it. */
export async function withData<Result>(
  request: OpenDataRequest,
  use: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  const storage = await open(request).catch((error: unknown) => {
    throw toMachineFault(error)
  })
  try {
    if (request.purpose === undefined || request.purpose === "write")
      assertServable(await storage.listTransfers())
    return await use(storage)
  } finally {
    await storage.close()
  }
}

async function open({ configuration, mayCreate, purpose }: OpenDataRequest): Promise<Storage> {
  const { data: folder, database: url } = configuration
  if (url !== undefined) return createPostgresStorage({ url, mode: "beside", mayCreate })
  if (!mayCreate) await requireDatabase(folder)
  const mode = purpose === "move" ? "alone" : "beside"
  return withIgnoredFolder(folder, () => createSqliteStorage({ folder, mode }))
}

async function requireDatabase(folder: string): Promise<void> {
  await access(join(folder, "safelight.db")).catch((cause: unknown) => {
    const message = `there is no Safelight database in ${folder}; --data names the folder`
    throw refused(message, cause)
  })
}
