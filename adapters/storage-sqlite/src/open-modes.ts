/** What other users of the machine may do to a folder that was there before, or was restored. */
import { existsSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { Log } from "@safelight/core"
import type { Folder } from "./folder.ts"

/** Who may write a folder can replace its files; names in it are no secret. */
const FOLDER_BITS = 0o022
/** SQLite gives the files that it adds the mode of the database. */
const FILE_BITS = 0o077

/** A warning and no refusal: a group may be meant to, as on volumes that a cluster mounts. */
export function warnOfOthers({ databaseFile, lockFile }: Folder, log: Log): void {
  // Windows shows modes that mean nothing.
  if (process.platform === "win32") return
  const beside = ["-wal", "-shm"].map((end) => `${databaseFile}${end}`)
  const open = [
    { path: dirname(databaseFile), bits: FOLDER_BITS },
    ...[databaseFile, ...beside, lockFile].map((path) => ({ path, bits: FILE_BITS })),
  ].flatMap(({ path, bits }) => (existsSync(path) ? toOpen(path, bits) : []))
  if (open.length === 0) return
  const advice = "chmod -R go-rwx on the data folder, or other users may read or change the data"
  log.warn({ open, advice }, "data readable by others")
}

function toOpen(path: string, bits: number): string[] {
  const mode = statSync(path).mode & 0o777
  return (mode & bits) === 0 ? [] : [`${path} (0${mode.toString(8)})`]
}
