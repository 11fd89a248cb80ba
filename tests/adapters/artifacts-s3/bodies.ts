/**
 * Bodies to store, and what comes back of them. Parts are as small as S3 allows; a chunk is spoilt
 * once the next is asked for, as by a body that reuses its buffer.
 */
import { hash } from "node:crypto"
import { isSafelightError, type ArtifactOpen, type ArtifactStorage } from "@safelight/core"

/** 5 MiB: the least that S3 takes for a part that is not the last. */
export const PART_BYTES = 5 * 1024 * 1024

/** Every word another one, so that a shifted or repeated block shows. */
export function makeBytes(size: number): Buffer {
  const words = Uint32Array.from({ length: Math.ceil(size / 4) }, (_, index) =>
    Math.imul(index + 1, 0x9e_37_79_b1),
  )
  return Buffer.from(words.buffer, 0, size)
}

export async function* chop(bytes: Buffer, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < bytes.byteLength; offset += chunkBytes) {
    const chunk = Buffer.from(bytes.subarray(offset, offset + chunkBytes))
    yield chunk
    chunk.fill(255)
  }
}

export function store(artifacts: ArtifactStorage, bytes: Buffer, { task = "t", key = "k" } = {}) {
  return artifacts.put({ task, key, body: chop(bytes, 256 * 1024) })
}

export async function readAll(artifacts: ArtifactStorage, request: ArtifactOpen): Promise<Buffer> {
  const reader = await artifacts.open(request)
  const chunks: Buffer[] = []
  const into = Buffer.alloc(256 * 1024)
  try {
    for (;;) {
      const count = await reader.read(into)
      if (count === 0) return Buffer.concat(chunks)
      chunks.push(Buffer.from(into.subarray(0, count)))
    }
  } finally {
    await reader.close()
  }
}

export function toSha256(bytes: Uint8Array): string {
  return hash("sha256", bytes)
}

export function isUnavailable(error: unknown): boolean {
  return isSafelightError(error) && error.code === "artifacts-unavailable" && error.retryable
}
