/**
 * Writes one artifact. A crash before the rename leaves an incoming file that nobody can open; a crash after it
 * leaves a whole artifact that only a list shows. A folder's name is an entry of its parent: every folder up to
 * the root is synced, whichever process made it, since that process may have died before syncing.
 *
 *   incoming file → written → synced → renamed into place → folders synced
 */
import { join } from "node:path"
import { createUnavailable, type ObjectWriter } from "@safelight/artifacts"
import { removeEmptyFolders } from "./remove-file.ts"
import {
  createFile,
  FOLDER_NAME,
  makeFolder,
  toFolders,
  toIncoming,
  writeFully,
  type RootFolder,
} from "./root-folder.ts"
import { toErrorName } from "./system-error.ts"

export type PutStep = "written" | "synced" | "renamed"

/** Two chunks of a pipe or a file stream. */
export const PIECE_BYTES = 128 * 1024

export interface WriterHost {
  readonly rootFolder: RootFolder
  /** Shards whose name this process has made durable: at most 256, since shards stay. */
  readonly durableShards: Set<string>
  readonly onStep: (step: PutStep) => void | Promise<void>
}

/**
 * How often a put makes its folders again after a remove has removed them. Each time another call has made
 * progress. The bound ends a loop without such a race, caused by a link that leads nowhere.
 */
const MAX_MOVES = 100

export async function createFileWriter(host: WriterHost, key: string): Promise<ObjectWriter> {
  const { onStep, rootFolder } = host
  const { files } = rootFolder
  const root = await rootFolder.prepare()
  const incoming = toIncoming(root)
  const file = await createFile(files, incoming)
  let closing: Promise<void> | undefined
  // One write at a time: two would seek back and forth.
  let written: Promise<void> = Promise.resolve()

  function close(): Promise<void> {
    return (closing ??= file.close())
  }

  function write(piece: Uint8Array, index: number): Promise<void> {
    written = written.then(() => writeFully(file, piece, index * PIECE_BYTES))
    return written
  }

  return {
    write,
    async commit(last, index) {
      await write(last, index)
      await onStep("written")
      await file.sync()
      await close()
      await onStep("synced")
      await moveIntoPlace(host, { root, incoming, key })
      await onStep("renamed")
      await syncFolders(host, root, key)
    },
    async abandon() {
      await close().catch(ignoreSecondFailure)
      await files.unlink(incoming).catch(ignoreSecondFailure)
      await removeEmptyFolders(files, root, key)
    },
  }
}

interface Move {
  readonly root: string
  readonly incoming: string
  readonly key: string
}

async function moveIntoPlace(host: WriterHost, move: Move): Promise<void> {
  for (let count = 1; count <= MAX_MOVES; count += 1) {
    if (await tryMove(host, move)) return
  }
  throw createUnavailable(FOLDER_NAME, "an artifact's folder vanished each time it was made")
}

/** False if a folder disappeared meanwhile. */
async function tryMove(host: WriterHost, { root, incoming, key }: Move): Promise<boolean> {
  const { files } = host.rootFolder
  const [folder] = toFolders(root, key)
  try {
    await makeFolders(host, root, key)
    if ((await files.realpath(folder)) !== folder) {
      throw createUnavailable(FOLDER_NAME, "a link stands where an artifact's folder belongs")
    }
    await files.rename(incoming, join(root, key))
    return true
  } catch (error) {
    if (toErrorName(error) !== "ENOENT") throw error
    // Another try can succeed only if the incoming file is still there.
    await files.lstat(incoming)
    return false
  }
}

/** Usually the shard exists and the task's folder does not: that costs two calls. */
async function makeFolders(
  { rootFolder, durableShards }: WriterHost,
  root: string,
  key: string,
): Promise<void> {
  const { files } = rootFolder
  const [keyFolder, taskFolder, shard] = toFolders(root, key)
  try {
    await makeFolder(files, taskFolder)
  } catch (error) {
    if (toErrorName(error) !== "ENOENT") throw error
    durableShards.delete(shard)
    await makeFolder(files, shard)
    await makeFolder(files, taskFolder)
  }
  await makeFolder(files, keyFolder)
}

async function syncFolders(
  { rootFolder, durableShards }: WriterHost,
  root: string,
  key: string,
): Promise<void> {
  const folders = toFolders(root, key)
  const [, , shard] = folders
  const above = durableShards.has(shard) ? [] : [root]
  await Promise.all([...folders, ...above].map((folder) => rootFolder.sync(folder)))
  durableShards.add(shard)
}

function ignoreSecondFailure(_error: unknown): void {}
