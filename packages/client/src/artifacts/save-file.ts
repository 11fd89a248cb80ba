/**
 * Writes a file that is either whole or not there: the pieces go to a temporary file in the same folder,
 * which is synced and renamed once they have ended well. The only file here that needs Node's modules (Bun
 * and Deno have them too); it is loaded by `saveTo` alone, and bundlers for browsers leave it out.
 */
import { mkdir, open, rename, rm, type FileHandle } from "node:fs/promises"
import { dirname, join } from "node:path"

/** Replaces what was at `path`, and makes its folder. Rejects as `pieces` do, or as the file system does. */
export async function saveFile(path: string, pieces: AsyncIterable<Uint8Array>): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const temporary = join(folder, `.safelight-${crypto.randomUUID()}.part`)
  try {
    const file = await open(temporary, "wx")
    try {
      for await (const piece of pieces) await writeWhole(file, piece)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}

/** A write may take less than it was given. */
async function writeWhole(file: FileHandle, piece: Uint8Array): Promise<void> {
  let written = 0
  while (written < piece.length) written += (await file.write(piece, written)).bytesWritten
}
