/**
 * Opens a file for reading. A link is never followed, neither as the file itself (O_NOFOLLOW) nor above it (the
 * path must be its own real path). Only a regular file is read: a FIFO in its place would hold a thread for ever.
 */
import { constants } from "node:fs"
import { join } from "node:path"
import { createMissing, type ObjectRange, type ObjectReader } from "@safelight/artifacts"
import type { FileSystem, OpenFile } from "./file-system.ts"
import { assertPresent, type RootFolder } from "./root-folder.ts"
import { isAbsence, unlessAbsent } from "./system-error.ts"

const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

export async function openFile(
  { files, prepare }: RootFolder,
  { key, start }: ObjectRange,
): Promise<ObjectReader> {
  const root = await prepare()
  const reader = await openReal(files, join(root, key), start)
  if (reader !== undefined) return reader
  await assertPresent(files, root)
  throw createMissing()
}

/** Undefined if the path leads to no regular file, or over a link. */
async function openReal(
  files: FileSystem,
  path: string,
  start: number,
): Promise<ObjectReader | undefined> {
  const file = await unlessAbsent(files.open(path, READ_FLAGS))
  if (file === undefined) return undefined
  try {
    const status = await file.stat()
    if (status.isFile() && (await files.realpath(path)) === path) {
      const { ctimeMs, ino, mtimeMs, size } = status
      const version = `${ino} ${mtimeMs} ${ctimeMs}`
      return createReader(file, { start, totalBytes: size, version })
    }
  } catch (error) {
    if (!isAbsence(error)) {
      await file.close()
      throw error
    }
  }
  await file.close()
  return undefined
}

interface OpenedFile {
  readonly start: number
  readonly totalBytes: number
  readonly version: string
}

function createReader(file: OpenFile, { start, ...opened }: OpenedFile): ObjectReader {
  let offset = start
  let closing: Promise<void> | undefined
  return {
    ...opened,
    async read(into) {
      const { bytesRead } = await file.read(into, 0, into.byteLength, offset)
      offset += bytesRead
      return bytesRead
    },
    close: () => (closing ??= file.close()),
  }
}
