/**
 * Writes a file in one step: the pieces go to a temporary file in the same folder, which is synced and
 * renamed when they are complete. This is the only module that needs Node's (Bun and Deno have them too).
 * `saveTo` loads it by the name `#save-file`, for which bundlers for other runtimes take `no-save-file.ts`.
 */
import { mkdir, open, rename, rm, type FileHandle } from "node:fs/promises"
import { dirname, join } from "node:path"

/** Replaces the file at `path` and creates its folder. Rejects as `pieces` or the file system does. */
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
