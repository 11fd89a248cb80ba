/**
 * Writes a body into a file, measuring and hashing it on the way. A body may reuse the buffer of a
 * chunk once it is asked for the next, so chunks are copied together: one buffer is filled while
 * another thread writes the other, and a trickle costs no system call a chunk.
 */
import { createHash } from "node:crypto"
import type { OpenFile } from "./file-system.ts"
import { translateFailure } from "./storage-failure.ts"

/** Two chunks of a pipe or a file stream. */
const BUFFER_BYTES = 128 * 1024

export interface WrittenBody {
  readonly bytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

/** Rejects with the body's own error, or with `artifacts-unavailable` where writing fails. */
export async function writeBody(
  file: OpenFile,
  body: AsyncIterable<Uint8Array>,
): Promise<WrittenBody> {
  const hash = createHash("sha256")
  let bytes = 0
  let filling = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  let filled = 0
  let spare: typeof filling | undefined
  let writing: Promise<void> = Promise.resolve()

  /** Hands over what was gathered once the write before it is done. */
  async function flush(): Promise<void> {
    await writing
    const gathered = filling.subarray(0, filled)
    writing = writeFully(file, gathered, bytes)
    // The failure is thrown where it is awaited next.
    writing.catch(ignore)
    hash.update(gathered)
    bytes += filled
    const next = spare ?? Buffer.allocUnsafeSlow(BUFFER_BYTES)
    spare = filling
    filling = next
    filled = 0
  }

  try {
    for await (const chunk of body) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError("a body's chunks are Uint8Arrays")
      for (let taken = 0; taken < chunk.byteLength;) {
        const part = chunk.subarray(taken, taken + BUFFER_BYTES - filled)
        filling.set(part, filled)
        filled += part.byteLength
        taken += part.byteLength
        if (filled === BUFFER_BYTES) await flush()
      }
    }
    if (filled > 0) await flush()
  } finally {
    // The file is closed next, or removed: no write may be under way then.
    await writing
  }
  return { bytes, sha256: hash.digest("hex") }
}

function ignore(): void {}

/** A write may take only a part, near a full disk for instance; the next one then says why. */
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
