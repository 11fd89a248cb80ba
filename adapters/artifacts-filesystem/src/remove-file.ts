/**
 * Removes an artifact, and its folders if they are empty then; shards stay. Puts may run at the same time:
 * only an empty folder can be removed, and a put that finds its folder gone makes it again.
 */
import { join } from "node:path"
import type { FileSystem } from "./file-system.ts"
import { assertPresent, isReal, toFolders, type RootFolder } from "./root-folder.ts"
import { isAbsence, toErrorName, unlessAbsent } from "./system-error.ts"

/** The errors of `rmdir` for a folder that is not empty; POSIX allows both. */
const NOT_EMPTY: ReadonlySet<string | undefined> = new Set(["ENOTEMPTY", "EEXIST"])

export async function removeFile({ files, prepare, sync }: RootFolder, key: string): Promise<void> {
  const root = await prepare()
  const folders = toFolders(root, key)
  if (!(await unlinkFile(files, root, key))) await assertPresent(files, root)
  await removeEmptyFolders(files, root, key)
  // A sync of the deepest folder that is left makes the removal durable. It is done even if there was nothing to
  // remove, since an earlier call may have died before it.
  for (const folder of folders) {
    if (!(await isReal(files, folder))) continue
    if ((await unlessAbsent(sync(folder).then(() => true))) === true) return
  }
}

/** Resolves to whether there was a file. */
async function unlinkFile(files: FileSystem, root: string, key: string): Promise<boolean> {
  const [folder] = toFolders(root, key)
  if (!(await isReal(files, folder))) return false
  return (await unlessAbsent(files.unlink(join(root, key)).then(() => true))) === true
}

/** Removes the folders of a key from the deepest up, up to the first that is not empty. */
export async function removeEmptyFolders(
  files: FileSystem,
  root: string,
  key: string,
): Promise<void> {
  const [keyFolder, taskFolder] = toFolders(root, key)
  for (const folder of [keyFolder, taskFolder]) {
    try {
      if (await isReal(files, folder)) await files.rmdir(folder)
    } catch (error) {
      if (NOT_EMPTY.has(toErrorName(error))) return
      if (!isAbsence(error)) throw error
    }
  }
}
