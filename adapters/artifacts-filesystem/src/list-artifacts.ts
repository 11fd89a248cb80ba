/**
 * Lists the locators of one task, or of all, by reading the folders. A link, or a file whose name is not of a
 * locator's form, is no artifact and is not shown.
 */
import { join } from "node:path"
import { isArtifactName } from "@safelight/core"
import type { FileSystem, FolderEntry } from "./file-system.ts"
import { isRandomName, toTaskFolder } from "./locator.ts"
import { assertPresent, isAbsence, isReal, type RootFolder } from "./root-folder.ts"
import { translateFailure } from "./storage-failure.ts"

export function listArtifacts(rootFolder: RootFolder, task: string): Promise<readonly string[]> {
  return translateFailure(async () => {
    const { files } = rootFolder
    const root = await rootFolder.prepare()
    const taskFolder = toTaskFolder(task)
    if (await isReal(files, join(root, taskFolder))) return listTask(files, root, taskFolder)
    await assertPresent(files, root)
    return []
  })
}

/** Lists those of all tasks folder by folder, so that memory holds one shard at most. */
export async function* listAllArtifacts(rootFolder: RootFolder): AsyncGenerator<string> {
  const { files } = rootFolder
  const root = await translateFailure(() => rootFolder.prepare())
  const shards = await translateFailure(() => files.readdir(root, { withFileTypes: true }))
  for (const shard of shards.filter((entry) => entry.isDirectory() && isShard(entry.name))) {
    const path = join(root, shard.name)
    const tasks = await translateFailure(() => readFolder(files, path))
    for (const task of tasks.filter((entry) => entry.isDirectory() && isArtifactName(entry.name))) {
      yield* await translateFailure(() => listTask(files, root, `${shard.name}/${task.name}`))
    }
  }
}

function isShard(name: string): boolean {
  return /^[0-9a-f]{2}$/.test(name)
}

async function listTask(files: FileSystem, root: string, taskFolder: string): Promise<string[]> {
  const keys = await readFolder(files, join(root, taskFolder))
  const keyFolders = keys
    .filter((entry) => entry.isDirectory() && isArtifactName(entry.name))
    .map((entry) => `${taskFolder}/${entry.name}`)
  const locators = await Promise.all(keyFolders.map((folder) => listKey(files, root, folder)))
  return locators.flat()
}

async function listKey(files: FileSystem, root: string, keyFolder: string): Promise<string[]> {
  const entries = await readFolder(files, join(root, keyFolder))
  return entries
    .filter((entry) => entry.isFile() && isRandomName(entry.name))
    .map((entry) => `${keyFolder}/${entry.name}`)
}

/** Empty if a remove has removed the folder meanwhile. */
async function readFolder(files: FileSystem, path: string): Promise<readonly FolderEntry[]> {
  try {
    return await files.readdir(path, { withFileTypes: true })
  } catch (error) {
    if (isAbsence(error)) return []
    throw error
  }
}
