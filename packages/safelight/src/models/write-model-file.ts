/** Writes the file of a model: a new one alone, durable once written. */
import { existsSync } from "node:fs"
import { open, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { makeSyncedFolder, syncFolder } from "@safelight/host"
import { refused } from "../errors/command-error.ts"

export interface NewFile {
  readonly path: string
  /** As the person who typed the command sees it. */
  readonly shown: string
}

/** Before the first of several is written. */
export function refuseExisting(files: readonly NewFile[]): void {
  const existing = files.find(({ path }) => existsSync(path))
  if (existing !== undefined) throw refused(toExisting(existing.shown))
}

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

function toExisting(path: string): string {
  return `${path} is there already: nothing is overwritten; remove it, or give --as another id`
}
