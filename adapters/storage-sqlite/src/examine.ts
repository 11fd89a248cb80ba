/**
 * What can be told of a database without using it: its schema, and whether it can be written. Nothing is made and no
 * schema is changed, so a service may run beside.
 */
import { accessSync, constants, existsSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import { readSchemaState, type SchemaState } from "@safelight/store"
import { isBusy } from "./failure.ts"
import { assertWhole } from "./lost-files.ts"
import { toKysely } from "./migrate-file.ts"
import { toReadOnlyLocation } from "./read-only.ts"
import { toOpeningError } from "./storage-error.ts"

export interface SqliteFacts {
  readonly schema: SchemaState
  readonly bytes: number
  /** Whether this user may write the file and the folder. */
  readonly isWritable: boolean
  /** Whether another process held the lock for writing all the time. */
  readonly isLocked: boolean
}

export interface ExamineOptions {
  readonly folder: string
  /** How long it waits for another process's write, ms. */
  readonly busyTimeoutMs: number
}

const RETRY_MS = 10

/**
 * Undefined if there is no database. Rejects with `storage-corrupt` if it is damaged or a part of it is gone, with
 * `schema-too-new`, and with `invalid-configuration` if it can't be read.
 */
export async function examineSqlite(options: ExamineOptions): Promise<SqliteFacts | undefined> {
  const folder = resolve(options.folder)
  const file = resolve(folder, "safelight.db")
  try {
    assertWhole(file)
    const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
    if (bytes === 0) return undefined
    const schema = await readSchema(toReadOnlyLocation(file))
    const isWritable = mayWrite(folder) && mayWrite(file)
    // Without the index of the log nobody has it open.
    const isOpen = existsSync(`${file}-shm`)
    const isLocked = isWritable && isOpen && (await staysLocked(file, options.busyTimeoutMs))
    return { schema, bytes, isWritable, isLocked }
  } catch (error) {
    throw toOpeningError(error)
  }
}

async function readSchema(location: string): Promise<SchemaState> {
  const database = new DatabaseSync(location, { readOnly: true })
  try {
    return await readSchemaState(toKysely(database))
  } finally {
    database.close()
  }
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    // For whatever reason.
    return false
  }
}

async function staysLocked(file: string, busyTimeoutMs: number): Promise<boolean> {
  const giveUpAt = performance.now() + busyTimeoutMs
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    for (;;) {
      try {
        database.exec("begin immediate; rollback")
        return false
      } catch (error) {
        if (!isBusy(error)) throw error
        if (performance.now() >= giveUpAt) return true
        // oxlint-disable-next-line no-await-in-loop -- tries follow one another
        await setTimeout(RETRY_MS)
      }
    }
  } finally {
    database.close()
  }
}
