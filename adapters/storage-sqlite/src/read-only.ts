/**
 * A database that is only read: its folder can't be written, such as a snapshot that is mounted to be audited, or must
 * stay as it is. No file is made, but for the index of a log that has none, where SQLite may make it; if there is no log,
 * it must be told that nothing changes.
 */
import { existsSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { SafelightError } from "@safelight/core"
import { assertMigrated, readSchemaState } from "@safelight/store"
import { assertWhole } from "./lost-files.ts"
import { toKysely } from "./migrate-file.ts"
import type { ChangeWriter } from "./writer.ts"

/**
 * What `DatabaseSync` is to open; `canIndex` says that the folder can be written. Throws `invalid-configuration` where SQLite could not read it, and
 * `storage-corrupt` where a part is gone.
 */
export function toReadOnlyLocation(file: string, canIndex = false): string {
  assertWhole(file)
  if (existsSync(`${file}-shm`)) return file
  const { size = 0 } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? {}
  if (size === 0) return `${pathToFileURL(file).href}?immutable=1`
  if (canIndex) return file
  const message =
    "the data folder can't be written and holds safelight.db-wal without safelight.db-shm: copy all of it to where it can be written, and read the copy"
  throw new SafelightError({ code: "invalid-configuration", message })
}

/** Rejects with `schema-too-new`, or with `invalid-configuration` for a schema that is older than this code. */
export async function assertReadable(location: string): Promise<void> {
  const database = new DatabaseSync(location, { readOnly: true })
  try {
    assertMigrated(await readSchemaState(toKysely(database)))
  } finally {
    database.close()
  }
}

/** Refuses every write. */
export function createRefusingWriter(): ChangeWriter {
  return {
    write() {
      const message = "nothing can be written: the database was opened to be read"
      return Promise.reject(
        new SafelightError({ code: "storage-unavailable", message, isUndone: true }),
      )
    },
    async drain() {},
    async end() {},
  }
}
