/**
 * The folder that holds everything. It is made at the first use and never again: if it disappears later, its
 * disk was unmounted, and a new folder would fill the disk below the mount point and make every artifact seem
 * missing.
 */
import { constants } from "node:fs"
import { dirname, join } from "node:path"
import type { FileSystem, OpenFile } from "./file-system.ts"
import { createFolderSync, type FolderSync } from "./folder-sync.ts"
import { createUnavailable, toErrorName } from "./storage-failure.ts"

const INCOMING = ".incoming"

/** Only the service's own user reads artifacts. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/** The errors of an open or a walk if there is no such file, or if a link is in its path. */
const ABSENCES: ReadonlySet<string | undefined> = new Set([
  "ENOENT",
  "ENOTDIR",
  "ELOOP",
  // Some BSDs answer this for a link that is opened with O_NOFOLLOW.
  "EMLINK",
  // The path is a socket.
  "ENXIO",
])

export interface RootFolder {
  readonly files: FileSystem
  /** Callers that wait for a sync of one folder share it. */
  readonly sync: FolderSync
  /** The real path, once the folder and the one for incoming files exist durably. */
  prepare(): Promise<string>
}

export function createRootFolder(files: FileSystem, folder: string): RootFolder {
  const sync = createFolderSync(files)
  let prepared: Promise<string> | undefined

  async function prepareOnce(): Promise<string> {
    const first = await files.mkdir(folder, { recursive: true, mode: FOLDER_MODE })
    if (first !== undefined) await syncBetween(sync, folder, dirname(first))
    const root = await files.realpath(folder)
    const incoming = toIncoming(root)
    await makeFolder(files, incoming)
    if (!(await isReal(files, incoming))) {
      throw createUnavailable(`${INCOMING} in the artifact folder is a link`)
    }
    await sync(root)
    return root
  }

  return {
    files,
    sync,
    prepare() {
      prepared ??= prepareOnce().catch((error: unknown) => {
        prepared = undefined
        throw error
      })
      return prepared
    },
  }
}

/** The path of the file `name` in the folder of files that are not whole yet. */
export function toIncoming(root: string, name = ""): string {
  return join(root, INCOMING, name)
}

/** Creates a file that must not exist yet. */
export function createFile(files: FileSystem, path: string): Promise<OpenFile> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  return files.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FILE_MODE)
}

/** Whether the folder was made now: false if the name exists already, whatever it is. */
export async function makeFolder(files: FileSystem, path: string): Promise<boolean> {
  try {
    await files.mkdir(path, { mode: FOLDER_MODE })
    return true
  } catch (error) {
    if (toErrorName(error) === "EEXIST") return false
    throw error
  }
}

/** Whether something exists at `path`, a real path up to here, without a link on the way. */
export async function isReal(files: FileSystem, path: string): Promise<boolean> {
  try {
    return (await files.realpath(path)) === path
  } catch (error) {
    if (isAbsence(error)) return false
    throw error
  }
}

export function isAbsence(error: unknown): boolean {
  return ABSENCES.has(toErrorName(error))
}

/**
 * Rejects with `artifacts-unavailable` if the folder itself is gone: then nothing is known about what it held.
 * Called before an artifact is reported as missing.
 */
export async function assertPresent(files: FileSystem, root: string): Promise<void> {
  await files.lstat(toIncoming(root))
}

/** Syncs the parent of `folder`, that parent's parent, and so on up to and including `last`. */
async function syncBetween(sync: FolderSync, folder: string, last: string): Promise<void> {
  const parents: string[] = []
  for (let parent = dirname(folder); ; parent = dirname(parent)) {
    parents.push(parent)
    if (parent === last || parent === dirname(parent)) break
  }
  await Promise.all(parents.map((parent) => sync(parent)))
}
