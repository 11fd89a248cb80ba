/**
 * The folder `.incoming`, for files that are not whole yet and for the mark's folder before its rename. Only the
 * time since its last write tells a file that a crash left from that of a put that is still running, perhaps in
 * another process.
 */
import { join } from "node:path"
import type { FileSystem, FolderEntry } from "./file-system.ts"
import { MARK_FILE } from "./mark.ts"
import { createRandomName, isRandomName } from "./locator.ts"
import { createFile, isAbsence, toIncoming, type RootFolder } from "./root-folder.ts"
import { toErrorName, translateFailure } from "./storage-failure.ts"

/** Removes files and folders that were not written to since `before`; resolves to their number. */
export function sweepIncomingFiles(rootFolder: RootFolder, before: number): Promise<number> {
  return translateFailure(async () => {
    const { files } = rootFolder
    const root = await rootFolder.prepare()
    const entries = await files.readdir(toIncoming(root), { withFileTypes: true })
    let count = 0
    for (const entry of entries.filter(({ name }) => isRandomName(name))) {
      if (await removeStale(files, toIncoming(root, entry.name), entry, before)) count += 1
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

async function removeStale(
  files: FileSystem,
  path: string,
  entry: FolderEntry,
  before: number,
): Promise<boolean> {
  if (!entry.isFile() && !entry.isDirectory()) return false
  try {
    const { mtimeMs } = await files.lstat(path)
    if (mtimeMs > before) return false
    await (entry.isFile() ? files.unlink(path) : removeFolder(files, path))
    return true
  } catch (error) {
    // Its put or another sweep has removed it, or the folder holds a file that is not ours.
    if (isAbsence(error) || toErrorName(error) === "ENOTEMPTY") return false
    throw error
  }
}

/** Removes the folder of a process that was killed while it wrote the mark. */
async function removeFolder(files: FileSystem, path: string): Promise<void> {
  await files.unlink(join(path, MARK_FILE)).catch((error: unknown) => {
    if (!isAbsence(error)) throw error
  })
  await files.rmdir(path)
}
