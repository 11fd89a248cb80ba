/**
 * Gathers a part of a body in memory, hashing it on the way. The memory starts small and doubles, so
 * that a small artifact costs little, and is used again for another part. What `toPayload` gives
 * shares it: it holds until the next `clear`.
 */
import { createHash, type Hash } from "node:crypto"
import type { Payload } from "./bucket.ts"

export interface PartBuffer {
  isFull(): boolean
  /** Copies as much as there is room for; how many bytes that were. */
  append(bytes: Uint8Array): number
  /** Of what was appended so far, to be carried on. */
  copyHash(): Hash
  /** Once for each filling. */
  toPayload(): Payload
  clear(): void
}

/** The size of a file stream's chunk. */
const FIRST_BYTES = 64 * 1024

export function createPartBuffer(partBytes: number): PartBuffer {
  let memory = Buffer.alloc(0)
  let length = 0
  let sha256 = createHash("sha256")

  function reserve(neededBytes: number): void {
    if (neededBytes <= memory.byteLength) return
    const doubled = Math.max(neededBytes, memory.byteLength * 2, FIRST_BYTES)
    const larger = Buffer.allocUnsafeSlow(Math.min(doubled, partBytes))
    larger.set(memory.subarray(0, length))
    memory = larger
  }

  return {
    isFull: () => length === partBytes,
    append(bytes) {
      const taken = bytes.subarray(0, partBytes - length)
      reserve(length + taken.byteLength)
      memory.set(taken, length)
      sha256.update(taken)
      length += taken.byteLength
      return taken.byteLength
    },
    copyHash: () => sha256.copy(),
    toPayload: () => ({ bytes: memory.subarray(0, length), sha256: sha256.digest("hex") }),
    clear() {
      length = 0
      sha256 = createHash("sha256")
    },
  }
}
