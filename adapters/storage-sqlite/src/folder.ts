/**
 * The folder of a database: `safelight.db` with SQLite's own files, and `serve.lock`, a second, empty
 * database whose exclusive lock is held while a process serves. The operating system releases such a lock
 * when the process ends, however it ends; a process id in a file would stay.
 */
import { accessSync, closeSync, constants, existsSync, openSync, statSync } from "node:fs"
import { resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { isSafelightError, SafelightError } from "@safelight/core"
import { makeSyncedFolder } from "@safelight/host"
import { isBusy, toFailure } from "./failure.ts"
import { assertWhole } from "./lost-files.ts"

/** Absolute, since a host may change its working directory. */
export interface Folder {
  readonly databaseFile: string
  readonly lockFile: string
}

/** The database of a folder that may be read and not written, such as a snapshot; undefined for any other. */
export function findReadOnlyDatabase(folder: string): string | undefined {
  const file = resolve(folder, "safelight.db")
  if (!isAllowed(file, constants.R_OK)) return undefined
  return isAllowed(file, constants.W_OK) && isAllowed(folder, constants.W_OK) ? undefined : file
}

/** Of a folder that is only to be read. Throws `invalid-configuration` if there is none that can be. */
export function findDatabase(folder: string): string {
  const file = resolve(folder, "safelight.db")
  if (isAllowed(file, constants.R_OK)) return file
  const message = `there is no safelight.db in ${folder} that can be read`
  throw new SafelightError({ code: "invalid-configuration", message })
}

function isAllowed(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch {
    // For whatever reason.
    return false
  }
}

/**
 * Creates the folder and its files where they are missing, for their owner alone. Rejects with
 * `invalid-configuration` where it can't, `storage-corrupt` where a part of a database is gone.
 */
export async function prepareFolder(folder: string): Promise<Folder> {
  const databaseFile = resolve(folder, "safelight.db")
  const lockFile = resolve(folder, "serve.lock")
  try {
    await makeSyncedFolder(resolve(folder))
    assertWhole(databaseFile)
    for (const file of [databaseFile, lockFile]) makeFile(file)
    for (const path of [folder, databaseFile, lockFile]) accessSync(path, constants.W_OK)
  } catch (cause) {
    if (isSafelightError(cause)) throw cause
    const message = `the data folder can't be written: ${toFailure(cause).message}`
    throw new SafelightError({ code: "invalid-configuration", message, cause })
  }
  return { databaseFile, lockFile }
}

/**
 * Makes an empty file where there is none; SQLite gives the files it adds the mode of the database. A
 * file that is there is never opened: closing it again would end every lock that SQLite has on it in
 * this process (https://www.sqlite.org/howtocorrupt.html, section 2.2).
 */
function makeFile(file: string): void {
  if (existsSync(file)) return
  try {
    closeSync(openSync(file, "wx", 0o600))
  } catch (cause) {
    // Another process may have been quicker.
    if (!existsSync(file)) throw cause
  }
}

/**
 * Throws `already-served` if a process serves: one of an older release does not notice that the schema has
 * changed, and would continue as before.
 */
export function assertNotServed(folder: Folder): void {
  try {
    lockForServing(folder)()
  } catch (cause) {
    if (!isSafelightError(cause)) throw cause
    const message =
      "an older release serves this data folder; restart the service with this one first"
    throw new SafelightError({ code: "already-served", message, cause })
  }
}

/** The folders that this process holds; the lock itself can't tell who has it. */
const heldHere = new Set<string>()

/** Takes the right to serve; the result gives it up. Throws `already-served`. */
export function lockForServing({ lockFile }: Folder): () => void {
  const { dev, ino } = statSync(lockFile)
  const held = `${dev}:${ino}`
  const lock = new DatabaseSync(lockFile, { timeout: 0 })
  try {
    // It is never written, so it needs no journal file.
    lock.exec("pragma journal_mode = memory; begin exclusive")
  } catch (cause) {
    lock.close()
    if (!isBusy(cause)) throw cause
    const message = heldHere.has(held)
      ? "this process has this data folder open already; use that storage, or close it first"
      : "another process serves this data folder; stop it first, or use another folder"
    throw new SafelightError({ code: "already-served", message, cause })
  }
  heldHere.add(held)
  return () => {
    heldHere.delete(held)
    lock.close()
  }
}
