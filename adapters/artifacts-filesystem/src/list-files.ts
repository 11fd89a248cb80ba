/**
 * Lists keys by reading the folders, so that memory holds one shard at most. A link is no artifact and is not
 * shown.
 */
import { join } from "node:path"
import { isArtifactName } from "@safelight/core"
import type { FileSystem, FolderEntry } from "./file-system.ts"
import { assertPresent, isReal, type RootFolder } from "./root-folder.ts"
import { unlessAbsent } from "./system-error.ts"

/** The keys of a task's folder, `shard/task/`, or of all. */
export async function* listFiles(
  { files, prepare }: RootFolder,
  prefix: string,
): AsyncGenerator<string> {
  const root = await prepare()
  if (prefix !== "") {
    const taskFolder = prefix.slice(0, -1)
    if (await isReal(files, join(root, taskFolder))) yield* await listTask(files, root, taskFolder)
    else await assertPresent(files, root)
    return
  }
  const shards = await files.readdir(root, { withFileTypes: true })
  for (const shard of toFolderNames(shards).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
    for (const task of toFolderNames(await readFolder(files, join(root, shard)))) {
      yield* await listTask(files, root, `${shard}/${task}`)
    }
  }
}

async function listTask(files: FileSystem, root: string, taskFolder: string): Promise<string[]> {
  const keys = toFolderNames(await readFolder(files, join(root, taskFolder)))
  const lists = keys.map(async (key) => {
    const entries = await readFolder(files, join(root, taskFolder, key))
    const whole = entries.filter((entry) => entry.isFile())
    return whole.map(({ name }) => `${taskFolder}/${key}/${name}`)
  })
  return (await Promise.all(lists)).flat()
}

function toFolderNames(entries: readonly FolderEntry[]): string[] {
  const folders = entries.filter((entry) => entry.isDirectory() && isArtifactName(entry.name))
  return folders.map(({ name }) => name)
}

/** Empty if a remove has removed the folder meanwhile. */
async function readFolder(files: FileSystem, path: string): Promise<readonly FolderEntry[]> {
  return (await unlessAbsent(files.readdir(path, { withFileTypes: true }))) ?? []
}
