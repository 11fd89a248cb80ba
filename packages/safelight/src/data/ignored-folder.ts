/**
 * Keeps a data folder that we make out of version control: it holds prompts and the keys that sign links, and
 * the default one is in a working directory.
 */
import { access, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { SafelightError } from "@safelight/core"

/** `open` makes the folder; a folder that existed before is left as it is. */
export async function withIgnoredFolder<Result>(
  folder: string,
  open: () => Promise<Result>,
): Promise<Result> {
  const isThere = await access(folder).then(
    () => true,
    () => false,
  )
  const opened = await open()
  if (!isThere) await ignore(join(folder, ".gitignore"))
  return opened
}

async function ignore(path: string): Promise<void> {
  try {
    await writeFile(path, "*\n", { flag: "wx" })
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    // Another command made the folder at the same moment.
    if (code === "EEXIST") return
    const message = `${path} can't be written (${code})`
    throw new SafelightError({ code: "storage-unavailable", message, cause })
  }
}
