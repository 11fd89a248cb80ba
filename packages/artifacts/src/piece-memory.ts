/**
 * Memory in which a body is gathered into pieces of one size, each used again once its piece was written: fresh
 * memory for each costs nearly half as much as hashing and writing it. The first piece's memory begins with the
 * size of its first chunk and grows with the body, so that a small body takes little.
 */

export interface PieceMemory {
  /** Copies the beginning of `chunk` behind what was gathered, and returns the rest of it. */
  fill(chunk: Uint8Array): Uint8Array
  /** Whether the piece has its whole size. */
  isFull(): boolean
  /** The piece as it is; the next `fill` begins another one. */
  take(): Uint8Array
  release(piece: Uint8Array): void
}

/** The least, for bodies that come a few bytes at a time. */
const FIRST_BYTES = 1_024

export function createPieceMemory(pieceBytes: number): PieceMemory {
  const free: Uint8Array[] = []
  let piece: Uint8Array = EMPTY
  let length = 0
  let isFirst = true

  function grow(more: number): void {
    const wanted = isFirst ? Math.max(2 * length, length + more, FIRST_BYTES) : pieceBytes
    const larger = free.pop() ?? allocate(Math.min(wanted, pieceBytes))
    larger.set(piece.subarray(0, length))
    piece = larger
  }

  return {
    fill(chunk) {
      if (length === piece.byteLength) grow(chunk.byteLength)
      const part = chunk.subarray(0, piece.byteLength - length)
      piece.set(part, length)
      length += part.byteLength
      return chunk.subarray(part.byteLength)
    },
    isFull: () => length === pieceBytes,
    take() {
      const taken = piece.subarray(0, length)
      piece = EMPTY
      length = 0
      isFirst = false
      return taken
    },
    release(taken) {
      free.push(taken)
    },
  }
}

const EMPTY = new Uint8Array()

/**
 * Not cleared, since it is filled before it is read; a few bytes are a part of what Node keeps for that. No `Buffer`,
 * whose `slice` would not copy.
 */
function allocate(bytes: number): Uint8Array {
  const { buffer, byteOffset } = Buffer.allocUnsafe(bytes)
  return new Uint8Array(buffer, byteOffset, bytes)
}
