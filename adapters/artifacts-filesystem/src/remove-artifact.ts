/**
 * Removes an artifact, and its folders if they are empty then; shards stay. Puts may run at the same time:
 * only an empty folder can be removed, and a put that finds its folder gone makes it again.
 */
import { join } from "node:path"
import { isArtifactLocator } from "@safelight/core"
import { toLocatorFolders } from "./locator.ts"
import { assertPresent, isAbsence, isReal, type RootFolder } from "./root-folder.ts"
import { toErrorName, translateFailure } from "./storage-failure.ts"

/** The errors of `rmdir` for a folder that is not empty; POSIX allows both. */
const NOT_EMPTY: ReadonlySet<string | undefined> = new Set(["ENOTEMPTY", "EEXIST"])

export async function removeArtifact(rootFolder: RootFolder, locator: string): Promise<void> {
  if (!isArtifactLocator(locator)) return
  await translateFailure(async () => {
    const root = await rootFolder.prepare()
    await unlinkArtifact(rootFolder, root, locator)
    await removeEmptyFolders(rootFolder, root, locator)
    await syncDeepest(rootFolder, root, locator)
  })
}

/** Removes the folders of a locator from the deepest up, up to the first that is not empty. */
export async function removeEmptyFolders(
  { files }: RootFolder,
  root: string,
  locator: string,
): Promise<void> {
  const { key, task } = toLocatorFolders(locator)
  for (const folder of [join(root, key), join(root, task)]) {
    try {
      if (await isReal(files, folder)) await files.rmdir(folder)
    } catch (error) {
      if (NOT_EMPTY.has(toErrorName(error))) return
      if (!isAbsence(error)) throw error
    }
  }
}

async function unlinkArtifact({ files }: RootFolder, root: string, locator: string): Promise<void> {
  const folder = join(root, toLocatorFolders(locator).key)
  try {
    if (await isReal(files, folder)) {
      await files.unlink(join(root, locator))
      return
    }
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
  await assertPresent(files, root)
}

/**
 * Makes the removal durable by syncing the deepest folder that is left. That is done even if there was
 * nothing to remove, since an earlier call may have died before this.
 */
async function syncDeepest(
  { files, sync }: RootFolder,
  root: string,
  locator: string,
): Promise<void> {
  const { key, task, shard } = toLocatorFolders(locator)
  for (const folder of [join(root, key), join(root, task), join(root, shard)]) {
    try {
      if (!(await isReal(files, folder))) continue
      await sync(folder)
      return
    } catch (error) {
      if (!isAbsence(error)) throw error
    }
  }
}
