/**
 * The mark of the folder: `.safelight/mark`, a file of one line. The folder `.safelight` is made whole in
 * `.incoming` and renamed into place, which fails if there is one already: of several processes that start
 * at once one writes the mark, and none reads half of it.
 */
import { constants } from "node:fs"
import { dirname, join } from "node:path"
import { MOST_MARK_BYTES, parseMarkLine } from "@safelight/core"
import type { FileSystem } from "./file-system.ts"
import { createRandomName } from "./locator.ts"
import {
  assertPresent,
  createFile,
  isAbsence,
  makeFolder,
  toIncoming,
  type RootFolder,
} from "./root-folder.ts"
import { createUnavailable, toErrorName, translateFailure } from "./storage-failure.ts"
import { writeBody } from "./write-body.ts"

const FOLDER = ".safelight"
export const MARK_FILE = "mark"

const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

export function markFolder(rootFolder: RootFolder, proposed?: string): Promise<string | undefined> {
  return translateFailure(async () => {
    const root = await rootFolder.prepare()
    const found = await readMark(rootFolder.files, root)
    if (found !== undefined || proposed === undefined) return found
    await writeMark(rootFolder, root, proposed)
    const mark = await readMark(rootFolder.files, root)
    if (mark === undefined) throw createUnavailable(`${FOLDER} in it is in the way of its mark`)
    return mark
  })
}

async function readMark(files: FileSystem, root: string): Promise<string | undefined> {
  const path = join(root, FOLDER, MARK_FILE)
  const file = await files.open(path, READ_FLAGS).catch(async (error: unknown) => {
    if (!isAbsence(error)) throw error
    await assertPresent(files, root)
    return undefined
  })
  if (file === undefined) return undefined
  try {
    const into = Buffer.alloc(MOST_MARK_BYTES + 1)
    const { bytesRead } = await file.read(into, 0, into.byteLength, 0)
    const mark = parseMarkLine(into.toString("latin1", 0, bytesRead))
    if (mark === undefined) throw createUnavailable(`${FOLDER}/${MARK_FILE} in it is damaged`)
    return mark
  } finally {
    await file.close()
  }
}

/** Changes nothing if there is a mark already. */
async function writeMark({ files, sync }: RootFolder, root: string, mark: string): Promise<void> {
  const incoming = toIncoming(root, createRandomName())
  await makeFolder(files, incoming)
  const path = join(incoming, MARK_FILE)
  try {
    const file = await createFile(files, path)
    try {
      await writeBody(file, toBody(`${mark}\n`))
      await file.sync()
    } finally {
      await file.close()
    }
    await sync(incoming)
    await files.rename(incoming, join(root, FOLDER))
  } catch (error) {
    await discard(files, path)
    if (!isTaken(error)) throw error
  }
  await sync(root)
}

async function* toBody(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text, "latin1")
}

/** Failures are ignored: the failure that led here is the one to report. */
async function discard(files: FileSystem, path: string): Promise<void> {
  await files.unlink(path).catch(ignoreSecondFailure)
  await files.rmdir(dirname(path)).catch(ignoreSecondFailure)
}

/** Windows answers EPERM. */
function isTaken(error: unknown): boolean {
  return ["ENOTEMPTY", "EEXIST", "EPERM"].includes(toErrorName(error) ?? "")
}

function ignoreSecondFailure(_error: unknown): void {}
