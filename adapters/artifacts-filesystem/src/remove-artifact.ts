/**
 * Removes an artifact, and its folders where that emptied them; shards stay. Safe beside puts: only
 * an empty folder can be removed, and a put that finds its folder gone makes it again.
 */
import { join } from "node:path"
import { isArtifactPlace } from "@safelight/core"
import { toPlaceFolders } from "./place.ts"
import { assertPresent, isAbsence, isReal, type RootFolder } from "./root-folder.ts"
import { toErrorName, translateFailure } from "./storage-failure.ts"

/** What `rmdir` says of a folder that is not empty; POSIX allows both. */
const NOT_EMPTY: ReadonlySet<string | undefined> = new Set(["ENOTEMPTY", "EEXIST"])

export async function removeArtifact(rootFolder: RootFolder, place: string): Promise<void> {
  if (!isArtifactPlace(place)) return
  await translateFailure(async () => {
    const root = await rootFolder.prepare()
    await unlinkArtifact(rootFolder, root, place)
    await removeEmptyFolders(rootFolder, root, place)
    await syncDeepest(rootFolder, root, place)
  })
}

/** Removes the folders of a place from the deepest up, as far as they are empty. */
export async function removeEmptyFolders(
  { files }: RootFolder,
  root: string,
  place: string,
): Promise<void> {
  const { key, task } = toPlaceFolders(place)
  for (const folder of [join(root, key), join(root, task)]) {
    try {
      if (await isReal(files, folder)) await files.rmdir(folder)
    } catch (error) {
      if (NOT_EMPTY.has(toErrorName(error))) return
      if (!isAbsence(error)) throw error
    }
  }
}

async function unlinkArtifact({ files }: RootFolder, root: string, place: string): Promise<void> {
  const folder = join(root, toPlaceFolders(place).key)
  try {
    if (await isReal(files, folder)) {
      await files.unlink(join(root, place))
      return
    }
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
  await assertPresent(files, root)
}

/**
 * Makes the removal durable: whatever folder is left, its sync carries the name that vanished from
 * it. Also where there was nothing to remove, since an earlier call may have died before this.
 */
async function syncDeepest(
  { files, sync }: RootFolder,
  root: string,
  place: string,
): Promise<void> {
  const { key, task, shard } = toPlaceFolders(place)
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
