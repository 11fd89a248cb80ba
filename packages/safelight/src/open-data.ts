/**
 * Opens the data folder for a command that works beside a running service. A folder without a
 * database is refused where the command only reads: a mistyped `--data` must not make a new one.
 */
import { access } from "node:fs/promises"
import { join } from "node:path"
import type { Storage } from "@safelight/core"
import { createSqliteStorage } from "@safelight/storage-sqlite"
import { CommandError } from "./command-error.ts"
import { EXIT } from "./exit-code.ts"
import { toMachineFault } from "./machine-fault.ts"

export interface OpenDataRequest {
  readonly folder: string
  readonly mayCreate: boolean
}

/** Hands the storage to `use` and closes it, whatever comes of it. */
export async function withData<Result>(
  { folder, mayCreate }: OpenDataRequest,
  use: (storage: Storage) => Promise<Result>,
): Promise<Result> {
  if (!mayCreate) await requireDatabase(folder)
  const storage = await createSqliteStorage({ folder, mode: "beside" }).catch((error: unknown) => {
    throw toMachineFault(error)
  })
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

async function requireDatabase(folder: string): Promise<void> {
  await access(join(folder, "safelight.db")).catch((cause: unknown) => {
    const message = `there is no Safelight database in ${folder}; --data names the folder`
    throw new CommandError({ exitCode: EXIT.refused, message, cause })
  })
}
