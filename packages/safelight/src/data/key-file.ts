/**
 * Writes the first key to a file for its owner alone (0600), if standard output is no terminal: a journal or a
 * container's log would keep it, and many could read it for a long time.
 */
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { NewKey } from "@safelight/core"
import { SafelightError } from "@safelight/core"
import { withIgnoredFolder } from "./ignored-folder.ts"

/** Resolves to the file's path. Rejects if it can't be written; then `keys create` makes another key. */
export async function writeKeyFile(folder: string, { id, key }: NewKey): Promise<string> {
  const path = join(folder, `first-key-${id}`)
  try {
    // With a PostgreSQL database there may be no folder yet.
    const make = () => mkdir(folder, { recursive: true, mode: 0o700 })
    await withIgnoredFolder(folder, make)
    await writeFile(path, `${key}\n`, { flag: "wx", mode: 0o600 })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const message = `the first key can't be written to ${path} (${code}); \`safelight keys create\` makes another`
    throw new SafelightError({ code: "storage-unavailable", message, cause })
  }
  return path
}
