/**
 * A database in a folder that can't be written, such as a snapshot that is mounted to be audited: it is read
 * as it is, and no file is made. If there is a log, SQLite needs the log's index for that; if there is none,
 * it must be told that nothing changes.
 */
import { existsSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import { SafelightError } from "@safelight/core"
import { migrate } from "@safelight/store"
import { SQLITE_DIALECT } from "./dialect.ts"
import { isReadOnly } from "./failure.ts"
import { assertWhole } from "./lost-files.ts"
import { toKysely } from "./migrate-file.ts"
import type { ChangeWriter } from "./writer.ts"

/**
 * What `DatabaseSync` is to open. Throws `invalid-configuration` where SQLite could not read it, and
 * `storage-corrupt` where a part is gone.
 */
export function toReadOnlyLocation(file: string): string {
  assertWhole(file)
  if (existsSync(`${file}-shm`)) return file
  const { size = 0 } = statSync(`${file}-wal`, { throwIfNoEntry: false }) ?? {}
  if (size === 0) return `${pathToFileURL(file).href}?immutable=1`
  const message =
    "the data folder can't be written and holds safelight.db-wal without safelight.db-shm: copy all of it to where it can be written, and read the copy"
  throw new SafelightError({ code: "invalid-configuration", message })
}

/** Rejects with `schema-too-new`, or with `invalid-configuration` for a schema that is older than this code. */
export async function assertReadable(location: string): Promise<void> {
  const database = new DatabaseSync(location, { readOnly: true })
  try {
    // It has nothing to do, or can't do it.
    await migrate(toKysely(database), { dialect: SQLITE_DIALECT })
  } catch (cause) {
    if (!isReadOnly(cause)) throw cause
    const message =
      "the database is an older release's and can't be written: copy its folder to where it can be written, and read the copy"
    throw new SafelightError({ code: "invalid-configuration", message, cause })
  } finally {
    database.close()
  }
}

/** Refuses every write. */
export function createRefusingWriter(): ChangeWriter {
  return {
    write() {
      const message = "the data folder can't be written; it was opened to be read"
      return Promise.reject(
        new SafelightError({ code: "storage-unavailable", message, isUndone: true }),
      )
    },
    async drain() {},
    async end() {},
  }
}
