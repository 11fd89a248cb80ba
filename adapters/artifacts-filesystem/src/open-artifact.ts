/**
 * Opens an artifact for reading. A link is never followed, neither as the file itself (O_NOFOLLOW) nor above
 * it (the path must be its own real path). Only a regular file is read: a FIFO in its place would hold a
 * thread for ever.
 */
import { constants } from "node:fs"
import { join } from "node:path"
import { isArtifactLocator, type ArtifactOpen, type ArtifactReader } from "@safelight/core"
import type { FileSystem, OpenFile } from "./file-system.ts"
import { assertPresent, isAbsence, type RootFolder } from "./root-folder.ts"
import { createMissing, createUnavailable, translateFailure } from "./storage-failure.ts"

const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

interface OpenArtifact {
  readonly file: OpenFile
  readonly totalBytes: number
  readonly version: string
}

export async function openArtifact(
  rootFolder: RootFolder,
  request: ArtifactOpen,
): Promise<ArtifactReader> {
  const { locator, start = 0, end = Number.MAX_SAFE_INTEGER - 1 } = request
  assertRange(start, end)
  if (!isArtifactLocator(locator)) throw createMissing()
  return translateFailure(async () => {
    const { files } = rootFolder
    const root = await rootFolder.prepare()
    const artifact = await openReal(files, join(root, locator))
    if (artifact !== undefined) return createReader(artifact, start, end)
    await assertPresent(files, root)
    throw createMissing()
  })
}

function assertRange(start: number, end: number): void {
  if (Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && end >= start) return
  throw new RangeError(`bytes ${start} to ${end} are no range`)
}

/** Undefined if the path leads to no regular file, or over a link. */
async function openReal(files: FileSystem, path: string): Promise<OpenArtifact | undefined> {
  let file: OpenFile
  try {
    file = await files.open(path, READ_FLAGS)
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
  try {
    const status = await file.stat()
    if (status.isFile() && (await files.realpath(path)) === path) {
      const { ctimeMs, ino, mtimeMs, size } = status
      return { file, totalBytes: size, version: `${ino} ${mtimeMs} ${ctimeMs}` }
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

function createReader(artifact: OpenArtifact, start: number, end: number): ArtifactReader {
  const { file, totalBytes, version } = artifact
  const endOffset = Math.min(end + 1, totalBytes)
  let offset = start
  let closing: Promise<void> | undefined

  return {
    totalBytes,
    version,
    async read(into) {
      const length = Math.min(into.byteLength, endOffset - offset)
      if (length <= 0) return 0
      const { bytesRead } = await translateFailure(() => file.read(into, 0, length, offset))
      if (bytesRead === 0) throw createUnavailable("The artifact got shorter while it was read")
      offset += bytesRead
      return bytesRead
    },
    close() {
      closing ??= translateFailure(() => file.close())
      return closing
    },
  }
}
