/**
 * Saves an artifact as a file that is either whole and verified, or not there: the bytes go to a
 * temporary file beside it, their SHA-256 is compared with the service's, then the file is renamed.
 */
import { createHash, randomBytes } from "node:crypto"
import { mkdir, open, rename, rm, type FileHandle } from "node:fs/promises"
import { join } from "node:path"
import { CommandError } from "../command-error.ts"
import { EXIT } from "../exit-code.ts"
import { parseReprDigest } from "./repr-digest.ts"
import type { ArtifactRecord } from "./task-records.ts"

const EXTENSIONS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "video/mp4": "mp4",
}

export interface ArtifactFileRequest {
  readonly folder: string
  readonly task: string
  readonly artifact: ArtifactRecord
  readonly response: Response
}

/** `<task>-<key>.<extension>`; names that come from outside can't leave the folder. */
export function toFileName(task: string, { key, mime_type: mimeType }: ArtifactRecord): string {
  const extension = EXTENSIONS[mimeType.split(";")[0] ?? ""] ?? "bin"
  return `${toSafeName(task)}-${toSafeName(key)}.${extension}`
}

/** Resolves to the file's path; rejects with `differs` where the bytes are not what they should be. */
export async function saveArtifact(request: ArtifactFileRequest): Promise<string> {
  const { folder, task, artifact, response } = request
  const path = join(folder, toFileName(task, artifact))
  const temporary = join(folder, `.${toFileName(task, artifact)}.${randomBytes(4).toString("hex")}`)
  const expected = parseReprDigest(response.headers.get("repr-digest"))
  await makeFolder(folder)
  try {
    const found = await write(temporary, response)
    if (found !== expected) throw mismatch(artifact.key, expected)
    await rename(temporary, path)
    return path
  } catch (error) {
    await rm(temporary, { force: true })
    throw error instanceof CommandError ? error : unwritable(path, error)
  }
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw unwritable(folder, error)
  })
}

/** Writes the body; resolves to its SHA-256. */
async function write(path: string, response: Response): Promise<string> {
  const file = await open(path, "wx")
  try {
    const hash = createHash("sha256")
    for await (const chunk of readBody(response)) {
      hash.update(chunk)
      await writeWhole(file, chunk)
    }
    await file.sync()
    return hash.digest("hex")
  } finally {
    await file.close()
  }
}

/** A write may take less than it was given. */
async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let written = 0
  while (written < chunk.length) {
    // oxlint-disable-next-line no-await-in-loop -- one after another is the point
    written += (await file.write(chunk, written)).bytesWritten
  }
}

async function* readBody(response: Response): AsyncGenerator<Uint8Array> {
  try {
    yield* response.body ?? []
  } catch (cause) {
    const message = "the transfer broke off; nothing was saved"
    throw new CommandError({ exitCode: EXIT.unavailable, message, cause })
  }
}

function mismatch(key: string, expected: string | undefined): CommandError {
  const message =
    expected === undefined
      ? `${key} came without a Repr-Digest and can't be verified; it was not saved`
      : `the bytes of ${key} are not those that its Repr-Digest names; they were not saved`
  return new CommandError({ exitCode: EXIT.differs, message })
}

function unwritable(path: string, cause: unknown): CommandError {
  const { code, message: words } = cause as NodeJS.ErrnoException
  const message = `${path} can't be written (${code ?? words})`
  return new CommandError({ exitCode: EXIT.refused, message, cause })
}

function toSafeName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]+/g, "_").slice(0, 100)
}
