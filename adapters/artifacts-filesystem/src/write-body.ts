/**
 * Writes a body into a file, measuring and hashing it on the way. A body may reuse the buffer of a
 * chunk once it is asked for the next: small chunks are copied together, so that a trickle costs no
 * system call a chunk, and a large one is written as it is before the next is asked for.
 */
import { createHash } from "node:crypto"
import type { OpenFile } from "./file-system.ts"
import { translateFailure } from "./storage-failure.ts"

/** The size of a pipe's or a file stream's chunk: those are written as they are. */
const GATHER_BYTES = 64 * 1024

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
  let gathered: Buffer | undefined
  let gatheredBytes = 0

  /** The hash is taken while another thread writes. */
  async function append(chunk: Uint8Array): Promise<void> {
    const writing = writeFully(file, chunk, bytes)
    hash.update(chunk)
    bytes += chunk.byteLength
    await writing
  }

  async function flush(): Promise<void> {
    if (gathered === undefined || gatheredBytes === 0) return
    const chunk = gathered.subarray(0, gatheredBytes)
    gatheredBytes = 0
    await append(chunk)
  }

  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("a body's chunks are Uint8Arrays")
    if (gatheredBytes + chunk.byteLength > GATHER_BYTES) await flush()
    if (chunk.byteLength >= GATHER_BYTES) {
      await append(chunk)
    } else {
      gathered ??= Buffer.allocUnsafeSlow(GATHER_BYTES)
      gathered.set(chunk, gatheredBytes)
      gatheredBytes += chunk.byteLength
    }
  }
  await flush()
  return { bytes, sha256: hash.digest("hex") }
}

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
