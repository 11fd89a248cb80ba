/** Writes an export: a whole file or none, for its owner alone, since it holds prompts and the secrets that sign links. */
import type { FileHandle } from "node:fs/promises"
import { unwritable, writeWholeFile, type WholeFile } from "./whole-file.ts"

/** Lines are small; a write of this size costs no more than one of a line. */
const GATHER_BYTES = 256 * 1024

/**
 * The file's option is that of `safelight export` by default. Resolves once the file is durable. Rejects with the error
 * of the lines or of the disk, and leaves what `WholeFile` says.
 */
export async function writeExportFile(
  file: Pick<WholeFile, "path"> & Partial<WholeFile>,
  lines: AsyncIterable<Uint8Array | string>,
): Promise<void> {
  const { path } = file
  await writeWholeFile({ option: "--to", writer: "export", ...file }, async ({ handle }) => {
    for await (const piece of gather(lines)) await write(handle, piece, path)
    return true
  })
}

/** Lines are gathered; bytes come in large pieces already. */
async function* gather(
  lines: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<Uint8Array | string> {
  let gathered = ""
  for await (const line of lines) {
    if (typeof line !== "string") {
      yield line
      continue
    }
    gathered += line
    if (gathered.length < GATHER_BYTES) continue
    yield gathered
    gathered = ""
  }
  if (gathered !== "") yield gathered
}

async function write(file: FileHandle, piece: Uint8Array | string, path: string): Promise<void> {
  await file.appendFile(piece).catch((error: unknown) => {
    throw unwritable(path, error)
  })
}
