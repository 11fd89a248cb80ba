/**
 * The folder of files that are not whole yet. What a crash leaves in it can't be told from a put
 * that still runs, perhaps in another process, except by how long nothing was written to it.
 */
import type { FileSystem } from "./file-system.ts"
import { createRandomName, isRandomName } from "./place.ts"
import { createFile, isAbsence, toIncoming, type RootFolder } from "./root-folder.ts"
import { translateFailure } from "./storage-failure.ts"

/** Removes what nobody wrote to since `before`; resolves to how many files that were. */
export function sweepIncomingFiles(rootFolder: RootFolder, before: number): Promise<number> {
  return translateFailure(async () => {
    const { files } = rootFolder
    const root = await rootFolder.prepare()
    const entries = await files.readdir(toIncoming(root), { withFileTypes: true })
    let count = 0
    for (const { name } of entries.filter((entry) => entry.isFile() && isRandomName(entry.name))) {
      if (await removeStale(files, toIncoming(root, name), before)) count += 1
    }
    return count
  })
}

/** Writes, syncs and removes a byte, as a put would. */
export function checkIncoming(rootFolder: RootFolder): Promise<void> {
  return translateFailure(async () => {
    const { files } = rootFolder
    const path = toIncoming(await rootFolder.prepare(), createRandomName())
    const file = await createFile(files, path)
    try {
      await file.write(Uint8Array.of(0), 0, 1, 0)
      await file.sync()
    } finally {
      await file.close()
      await files.unlink(path)
    }
  })
}

async function removeStale(files: FileSystem, path: string, before: number): Promise<boolean> {
  try {
    const { mtimeMs } = await files.lstat(path)
    if (mtimeMs > before) return false
    await files.unlink(path)
    return true
  } catch (error) {
    // Its put was faster, or another sweep.
    if (isAbsence(error)) return false
    throw error
  }
}
