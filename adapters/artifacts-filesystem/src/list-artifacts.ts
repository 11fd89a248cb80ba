/**
 * Lists the places of a task from its folders. Only what this adapter could have made is shown: a
 * link, or a file with another name, is no artifact.
 */
import { join } from "node:path"
import { isArtifactName } from "@safelight/core"
import type { FileSystem, FolderEntry } from "./file-system.ts"
import { isRandomName, toTaskFolder } from "./place.ts"
import { assertPresent, isAbsence, isReal, type RootFolder } from "./root-folder.ts"
import { translateFailure } from "./storage-failure.ts"

export function listArtifacts(rootFolder: RootFolder, task: string): Promise<readonly string[]> {
  return translateFailure(async () => {
    const { files } = rootFolder
    const root = await rootFolder.prepare()
    const taskFolder = toTaskFolder(task)
    if (!(await isReal(files, join(root, taskFolder)))) {
      await assertPresent(files, root)
      return []
    }
    const keys = await readFolder(files, join(root, taskFolder))
    const keyFolders = keys
      .filter((entry) => entry.isDirectory() && isArtifactName(entry.name))
      .map((entry) => `${taskFolder}/${entry.name}`)
    const places = await Promise.all(keyFolders.map((folder) => listKey(files, root, folder)))
    return places.flat()
  })
}

async function listKey(files: FileSystem, root: string, keyFolder: string): Promise<string[]> {
  const entries = await readFolder(files, join(root, keyFolder))
  return entries
    .filter((entry) => entry.isFile() && isRandomName(entry.name))
    .map((entry) => `${keyFolder}/${entry.name}`)
}

/** Empty where a remove took the folder away meanwhile. */
async function readFolder(files: FileSystem, path: string): Promise<readonly FolderEntry[]> {
  try {
    return await files.readdir(path, { withFileTypes: true })
  } catch (error) {
    if (isAbsence(error)) return []
    throw error
  }
}
