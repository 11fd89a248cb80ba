/**
 * A body's bytes as they arrive, in pieces that are joined only when they are needed as one.
 * Small chunks are copied together: each would cost an object of many times its size, and a client
 * may send one byte a chunk.
 */
export interface BodyPieces {
  readonly list: readonly Uint8Array[]
  readonly lengthBytes: number
}

export interface PieceCollector {
  readonly take: (chunk: Uint8Array) => void
  readonly finish: () => BodyPieces
}

/** A chunk of this size is kept as it came; copying a smaller one is cheaper than keeping it. */
const OWN_PIECE_BYTES = 16 * 1024
const BLOCK_BYTES = 64 * 1024

export function createPieceCollector(): PieceCollector {
  const list: Uint8Array[] = []
  let lengthBytes = 0
  let block: Uint8Array | undefined
  let used = 0

  function endBlock(): void {
    if (block !== undefined) list.push(block.subarray(0, used))
    block = undefined
    used = 0
  }

  /** Fills each block to its end, so that its buffer can be handed over whole. */
  function copy(chunk: Uint8Array): void {
    block ??= new Uint8Array(BLOCK_BYTES)
    const fitting = chunk.subarray(0, BLOCK_BYTES - used)
    block.set(fitting, used)
    used += fitting.length
    if (used === BLOCK_BYTES) endBlock()
    if (fitting.length < chunk.length) copy(chunk.subarray(fitting.length))
  }

  return {
    take(chunk) {
      lengthBytes += chunk.length
      // A body of one chunk, as most are, is never copied.
      if (list.length === 0 || chunk.length >= OWN_PIECE_BYTES) {
        endBlock()
        list.push(chunk)
        return
      }
      copy(chunk)
    },
    finish() {
      endBlock()
      return { list, lengthBytes }
    },
  }
}

export function joinPieces({ list, lengthBytes }: BodyPieces): Uint8Array {
  const [only] = list
  if (list.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(lengthBytes)
  let at = 0
  for (const piece of list) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/**
 * The same bytes, each piece with a buffer of its own that may be transferred to another thread. A piece
 * that is part of a larger buffer, as the chunks of Node's pool are, is copied.
 */
export function toOwnBuffers({ list, lengthBytes }: BodyPieces): {
  readonly list: readonly Uint8Array<ArrayBuffer>[]
  readonly lengthBytes: number
} {
  return {
    list: list.map((piece) => (isWhole(piece) ? piece : new Uint8Array(piece))),
    lengthBytes,
  }
}

function isWhole(piece: Uint8Array): piece is Uint8Array<ArrayBuffer> {
  return piece.buffer instanceof ArrayBuffer && piece.byteLength === piece.buffer.byteLength
}
