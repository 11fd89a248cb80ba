/**
 * A body in pieces of one size, each in memory of its own. A body may use the buffer of a chunk again once
 * it is asked for the next one, and a body of a million small chunks would cost a write for each.
 */

/**
 * All pieces have `pieceBytes` bytes but the last, which may be shorter. The body is asked for one chunk at
 * a time. Throws a TypeError if a chunk is no `Uint8Array`.
 */
export async function* toPieces(
  body: AsyncIterable<Uint8Array>,
  pieceBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let piece = new Uint8Array(pieceBytes)
  let length = 0
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("a body's chunks are Uint8Arrays")
    for (let offset = 0; offset < chunk.byteLength;) {
      const part = chunk.subarray(offset, offset + pieceBytes - length)
      piece.set(part, length)
      length += part.byteLength
      offset += part.byteLength
      if (length < pieceBytes) continue
      yield piece
      piece = new Uint8Array(pieceBytes)
      length = 0
    }
  }
  if (length > 0) yield piece.subarray(0, length)
}
