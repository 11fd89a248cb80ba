/** A log in a file, as `audit export` writes it: lines, or the same compressed by Zstandard. */
import { open } from "node:fs/promises"
import { Readable } from "node:stream"
import { createZstdDecompress } from "node:zlib"
import { readFile, unreadable } from "./import-source.ts"

/** The first four bytes of a file by Zstandard (RFC 8878 §3.1.1). */
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

export function isZstd(head: Buffer): boolean {
  return head.subarray(0, ZSTD.length).equals(ZSTD)
}

/** Far before its end a first line says what the file is. */
const HEAD_BYTES = 256

/** Rejects with a `CommandError` if the file can't be read. */
export async function readHead(path: string): Promise<Buffer> {
  const file = await open(path, "r").catch((cause: unknown) => {
    throw unreadable(path, cause)
  })
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Its lines, decompressed. */
export async function* openLogFile(path: string): AsyncGenerator<Uint8Array> {
  const file = readFile(path)
  yield* isZstd(await readHead(path)) ? decompress(file) : file
}

/** By hand: of streams that are composed, one is aborted without a listener if a reader stops before the end. */
async function* decompress(file: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const [packed, lines] = [Readable.from(file), createZstdDecompress()]
  packed.once("error", (error) => lines.destroy(error))
  packed.pipe(lines)
  try {
    yield* lines
  } finally {
    packed.destroy()
  }
}
