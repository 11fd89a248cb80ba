/**
 * Who else could have written a configuration file that nobody named. Such a file is read wherever a command is
 * run, so what it would run as code must not be a stranger's.
 */
import { stat } from "node:fs/promises"
import type { FoundFile } from "./read-configuration-file.ts"

/** Not the group either: who is in it is not known here. */
const WRITABLE_BY_OTHERS = 0o022

const ROOT = 0

/**
 * Why the code that the file names may not run, in words for people; undefined if only this user and root could have
 * written the file, or if the system knows no users.
 */
export async function findOwnerFault(
  { folder, name, path }: Pick<FoundFile, "folder" | "name" | "path">,
  user: number | undefined = process.getuid?.(),
): Promise<string | undefined> {
  if (user === undefined) return undefined
  for (const place of [path, folder]) {
    // oxlint-disable-next-line no-await-in-loop -- two of them, and the first fault is the one reported
    const { mode, uid } = await stat(place)
    const isForeign = uid !== user && uid !== ROOT
    if (!isForeign && (mode & WRITABLE_BY_OTHERS) === 0) continue
    const why = isForeign ? "belongs to another user" : "can be written by other users"
    return `${name} names code to run, and ${place} ${why}: if you trust that code, name the file with --config`
  }
  return undefined
}
