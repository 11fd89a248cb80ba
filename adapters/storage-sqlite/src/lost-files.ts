/**
 * Signs that a part of the database is gone from its folder. They must be looked for before SQLite opens it:
 * if the database is missing or empty, SQLite takes the log, which may hold most of the data, for a left-over
 * and deletes it. Nothing here opens a file: closing it would end SQLite's locks.
 */
import { existsSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { SafelightError } from "@safelight/core"

const BEGIN_ANEW = "to begin anew, move everything in the folder away"

/** Throws `storage-corrupt`, and has changed nothing. */
export function assertWhole(databaseFile: string): void {
  const log = `${databaseFile}-wal`
  // The log is looked at first: meanwhile another process may make both, the database before it.
  if (sizeOf(log) > 0 && sizeOf(databaseFile) === 0) {
    const message = `safelight.db is missing or empty, but safelight.db-wal holds data: put safelight.db back, or restore a backup of all files; ${BEGIN_ANEW}`
    throw lost(message)
  }
  if (sizeOf(databaseFile) === 0) return
  // A close removes the index of the log before the log, so a crash never leaves the index alone; who
  // opens the database meanwhile makes the log first.
  if (existsSync(log) || !existsSync(`${databaseFile}-shm`) || existsSync(log)) return
  const message =
    "safelight.db-wal is missing, and with it what was stored last: put it back, or restore a backup of all files; to go on without it, remove safelight.db-shm"
  throw lost(message)
}

/** Throws `storage-corrupt` if there are artifacts next to a database that never held a task. */
export function assertNoArtifacts(databaseFile: string): void {
  const folder = join(dirname(databaseFile), "artifacts")
  if (!holdsArtifacts(folder)) return
  const message = `the database holds no task, but the folder artifacts beside it holds files: restore the safelight.db that they belong to, with safelight.db-wal if there is one; ${BEGIN_ANEW}`
  throw lost(message)
}

/** Artifacts lie two folders deep or more; names with a dot are not theirs. */
function holdsArtifacts(folder: string): boolean {
  return listFolders(folder).some((shard) => listFolders(shard).length > 0)
}

function listFolders(folder: string): string[] {
  // If it is no folder, the artifact storage refuses it with a message of its own.
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => join(folder, name))
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

function lost(message: string): SafelightError {
  return new SafelightError({ code: "storage-corrupt", message })
}
