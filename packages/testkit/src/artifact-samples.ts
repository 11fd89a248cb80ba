/** Bodies in chunks, and the bytes that a reader gives. */
import type { ArtifactOpen, ArtifactReader, ArtifactStorage } from "@safelight/core"

const CHUNK_BYTES = 64 * 1024

/**
 * The bytes in chunks of the given sizes, in turn, the last one as long as what is left. Every chunk
 * is spoilt when the next is asked for, as by a body that reuses its buffer.
 */
export async function* chop(
  bytes: Uint8Array,
  chunking: readonly number[],
): AsyncGenerator<Uint8Array> {
  for (let offset = 0, turn = 0; offset < bytes.length; turn += 1) {
    const size = chunking[turn % chunking.length] ?? 1
    const chunk = Uint8Array.from(bytes.subarray(offset, offset + size))
    yield chunk
    chunk.fill(255)
    offset += size
  }
}

export async function readAll(
  artifacts: ArtifactStorage,
  request: ArtifactOpen,
  bufferBytes = CHUNK_BYTES,
): Promise<Uint8Array> {
  const reader = await artifacts.open(request)
  try {
    return await drain(reader, bufferBytes)
  } finally {
    await reader.close()
  }
}

export async function drain(reader: ArtifactReader, bufferBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  const into = new Uint8Array(bufferBytes)
  for (;;) {
    const count = await reader.read(into)
    if (count === 0) return new Uint8Array(Buffer.concat(chunks))
    chunks.push(into.slice(0, count))
  }
}
