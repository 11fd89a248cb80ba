/**
 * Cuts a body into pieces of its own: a body may use its buffer again for the next chunk, and a
 * million chunks of a byte would each cost a hundred.
 */
/** The size of a file stream's chunk. */
const PIECE_BYTES = 64 * 1024

export async function* toPieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
  let length = 0
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("a body's chunks are Uint8Arrays")
    for (let offset = 0; offset < chunk.byteLength;) {
      const taken = chunk.subarray(offset, offset + PIECE_BYTES - length)
      piece.set(taken, length)
      length += taken.byteLength
      offset += taken.byteLength
      if (length === PIECE_BYTES) {
        yield piece
        piece = Buffer.allocUnsafeSlow(PIECE_BYTES)
        length = 0
      }
    }
  }
  if (length > 0) yield piece.subarray(0, length)
}
