/**
 * Writes a body into a file, measuring and hashing it on the way. One piece is gathered and hashed while
 * another thread writes the one before it.
 */
import { createHash } from "node:crypto"
import { toPieces } from "@safelight/core"
import type { OpenFile } from "./file-system.ts"
import { translateFailure } from "./storage-failure.ts"

/** Two chunks of a pipe or a file stream. */
const PIECE_BYTES = 128 * 1024

export interface WrittenBody {
  readonly bytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

/** Rejects with the body's own error, or with `artifacts-unavailable` if writing fails. */
export async function writeBody(
  file: OpenFile,
  body: AsyncIterable<Uint8Array>,
): Promise<WrittenBody> {
  const hash = createHash("sha256")
  let bytes = 0
  let writing: Promise<void> = Promise.resolve()
  const buffers: Buffer[] = []

  /** Two buffers in turn: the write of a piece has ended before the next piece but one is gathered. */
  function allocate(): Buffer {
    const used = buffers.length < 2 ? undefined : buffers.shift()
    const buffer = used ?? Buffer.allocUnsafeSlow(PIECE_BYTES)
    buffers.push(buffer)
    return buffer
  }

  try {
    for await (const piece of toPieces(body, allocate)) {
      await writing
      writing = writeFully(file, piece, bytes)
      // The failure is thrown where it is awaited next.
      writing.catch(ignore)
      hash.update(piece)
      bytes += piece.byteLength
    }
  } finally {
    // The file is closed or removed next: no write may be in progress then.
    await writing
  }
  return { bytes, sha256: hash.digest("hex") }
}

function ignore(): void {}

/** A write may write only a part, for instance on an almost full disk; the next write then reports why. */
function writeFully(file: OpenFile, chunk: Uint8Array, position: number): Promise<void> {
  return translateFailure(async () => {
    let offset = 0
    while (offset < chunk.byteLength) {
      const { bytesWritten } = await file.write(
        chunk,
        offset,
        chunk.byteLength - offset,
        position + offset,
      )
      offset += bytesWritten
    }
  })
}
