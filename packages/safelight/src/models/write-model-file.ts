/** Writes the file of a model: a new one alone, durable once written. */
import { open, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { makeSyncedFolder, syncFolder } from "@safelight/host"
import { refused } from "../errors/command-error.ts"

/** Refuses a file that is there: it may have been edited. Nothing half written stays. */
export async function writeModelFile(path: string, text: string): Promise<void> {
  await makeSyncedFolder(dirname(path))
  const handle = await open(path, "wx", 0o644).catch((cause: unknown) => {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") throw refused(toExisting(path), cause)
    throw cause
  })
  try {
    await handle.writeFile(text)
    await handle.sync()
  } catch (cause) {
    await rm(path, { force: true })
    throw cause
  } finally {
    await handle.close()
  }
  await syncFolder(dirname(path))
}

export function toExisting(path: string): string {
  return `${path} is there already: nothing is overwritten; remove it, or give --as another id`
}
