/**
 * The folder `.incoming`, for files that are not whole yet and for the mark's folder before its rename. Only the
 * time since its last write tells a file that a crash left from one that is still written, perhaps by another
 * process.
 */
import { basename, dirname, join } from "node:path"
import type { UnfinishedObject } from "@safelight/artifacts"
import type { FileSystem } from "./file-system.ts"
import {
  createFile,
  isRandomName,
  makeFolder,
  toIncoming,
  writeFully,
  type RootFolder,
} from "./root-folder.ts"
import { isAbsence, toErrorName, unlessAbsent } from "./system-error.ts"

/** The name of the mark's file in its folder. */
const MARK_FILE = "mark"

export async function* listIncoming({
  files,
  prepare,
}: RootFolder): AsyncGenerator<UnfinishedObject> {
  const root = await prepare()
  const entries = await files.readdir(toIncoming(root, ""), { withFileTypes: true })
  for (const entry of entries) {
    const isFile = entry.isFile()
    if (!isRandomName(entry.name) || !(isFile || entry.isDirectory())) continue
    const path = toIncoming(root, entry.name)
    // oxlint-disable-next-line no-await-in-loop -- a sweep is in no hurry
    const status = await unlessAbsent(files.lstat(path))
    if (status === undefined) continue
    yield { at: status.mtimeMs, remove: () => removeStale(files, path, isFile) }
  }
}

async function removeStale(files: FileSystem, path: string, isFile: boolean): Promise<boolean> {
  try {
    // A folder is that of a process that was killed while it wrote the mark.
    if (!isFile) await unlessAbsent(files.unlink(join(path, MARK_FILE)))
    await (isFile ? files.unlink(path) : files.rmdir(path))
    return true
  } catch (error) {
    // Its put or another sweep has removed it, or the folder holds a file that is not ours.
    if (isAbsence(error) || toErrorName(error) === "ENOTEMPTY") return false
    throw error
  }
}

/** Writes, syncs and removes a byte, as a put would. */
export async function checkIncoming({ files, prepare }: RootFolder): Promise<void> {
  const path = toIncoming(await prepare())
  try {
    await writeDurably(files, path, Uint8Array.of(0))
  } finally {
    await unlessAbsent(files.unlink(path))
  }
}

/**
 * Stores a file if its folder does not exist. The folder is made whole in `.incoming` and renamed into place, which
 * fails if there is one already: of several processes that start at once one stores its file, and none reads
 * half of it.
 */
export async function storeFolder(
  { files, prepare, sync }: RootFolder,
  key: string,
  bytes: Uint8Array,
): Promise<void> {
  const root = await prepare()
  const incoming = toIncoming(root)
  const path = join(incoming, basename(key))
  await makeFolder(files, incoming)
  try {
    await writeDurably(files, path, bytes)
    await sync(incoming)
    await files.rename(incoming, join(root, dirname(key)))
  } catch (error) {
    await files.unlink(path).catch(ignoreSecondFailure)
    await files.rmdir(incoming).catch(ignoreSecondFailure)
    if (!isTaken(error)) throw error
  }
  await sync(root)
}

async function writeDurably(files: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const file = await createFile(files, path)
  try {
    await writeFully(file, bytes, 0)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Windows answers EPERM. */
function isTaken(error: unknown): boolean {
  return ["ENOTEMPTY", "EEXIST", "EPERM"].includes(toErrorName(error) ?? "")
}

function ignoreSecondFailure(_error: unknown): void {}
