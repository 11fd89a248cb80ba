/**
 * The folder that holds everything. It is made at the first use and never again: if it disappears later, its
 * disk was unmounted, and a new folder would fill the disk below the mount point and make every artifact seem
 * missing.
 */
import { randomUUID } from "node:crypto"
import { constants } from "node:fs"
import { dirname, join } from "node:path"
import { createUnavailable } from "@safelight/artifacts"
import type { FileSystem, OpenFile } from "./file-system.ts"
import { createFolderSync, type FolderSync } from "./folder-sync.ts"
import { toErrorName, unlessAbsent } from "./system-error.ts"

export const FOLDER_NAME = "The artifact folder"

const INCOMING = ".incoming"

/** Only the service's own user reads artifacts. */
const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

export interface RootFolder {
  readonly files: FileSystem
  /** Callers that wait for a sync of one folder share it. */
  readonly sync: FolderSync
  /** The real path, once the folder and the one for incoming files exist durably. */
  readonly prepare: () => Promise<string>
}

export function createRootFolder(files: FileSystem, folder: string): RootFolder {
  const sync = createFolderSync(files)
  let prepared: Promise<string> | undefined

  async function prepareOnce(): Promise<string> {
    const first = await files.mkdir(folder, { recursive: true, mode: FOLDER_MODE })
    if (first !== undefined) await syncBetween(sync, folder, dirname(first))
    const root = await files.realpath(folder)
    const incoming = toIncoming(root, "")
    await makeFolder(files, incoming)
    if (!(await isReal(files, incoming))) {
      throw createUnavailable(FOLDER_NAME, `${INCOMING} in it is a link`)
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

/** The path of a file that is not whole yet: a random name alone, of the kind that ends a locator. */
export function toIncoming(root: string, name: string = randomUUID()): string {
  return join(root, INCOMING, name)
}

export function isRandomName(name: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)
}

/** Creates a file that must not exist yet. */
export function createFile(files: FileSystem, path: string): Promise<OpenFile> {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants
  return files.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, FILE_MODE)
}

/** A write may write only a part, for instance on an almost full disk; the next write then reports why. */
export async function writeFully(
  file: OpenFile,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  for (let offset = 0; offset < bytes.byteLength;) {
    const length = bytes.byteLength - offset
    // oxlint-disable-next-line no-await-in-loop -- the rest follows the part
    const { bytesWritten } = await file.write(bytes, offset, length, position + offset)
    offset += bytesWritten
  }
}

/** Changes nothing if the name exists already, whatever it is. */
export async function makeFolder(files: FileSystem, path: string): Promise<void> {
  try {
    await files.mkdir(path, { mode: FOLDER_MODE })
  } catch (error) {
    if (toErrorName(error) !== "EEXIST") throw error
  }
}

/** Whether something exists at `path`, a real path up to here, without a link on the way. */
export async function isReal(files: FileSystem, path: string): Promise<boolean> {
  return (await unlessAbsent(files.realpath(path))) === path
}

/** The three folders above an artifact, deepest first. */
export function toFolders(root: string, key: string): readonly [string, string, string] {
  const [shard = "", task = "", name = ""] = key.split("/")
  return [join(root, shard, task, name), join(root, shard, task), join(root, shard)]
}

/**
 * Rejects if the folder itself is gone: then nothing is known about what it held. Called before an artifact
 * is reported as missing.
 */
export async function assertPresent(files: FileSystem, root: string): Promise<void> {
  await files.lstat(toIncoming(root, ""))
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
