/**
 * A body gathered into pieces of one size. A body may use the buffer of a chunk again once it is asked for
 * the next one, and a body of a million small chunks would cost a write for each. The caller gives the
 * memory, since fresh memory for each piece costs nearly half as much as hashing and writing it.
 */

/**
 * Every piece fills the memory that `allocate` gave but the last, which may be shorter. `allocate` is called
 * once the piece before was taken and the next chunk of the body is there, so that two buffers in turn are
 * enough for a caller that is done with a piece when it asks for the next but one. The body is asked for one
 * chunk at a time. Throws a TypeError if a chunk is no `Uint8Array`.
 */
export async function* toPieces(
  body: AsyncIterable<Uint8Array>,
  allocate: () => Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  let piece: Uint8Array | undefined
  let length = 0
  for await (const chunk of body) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError("a body's chunks are Uint8Arrays")
    for (let offset = 0; offset < chunk.byteLength;) {
      piece ??= allocate()
      const part = chunk.subarray(offset, offset + piece.byteLength - length)
      piece.set(part, length)
      length += part.byteLength
      offset += part.byteLength
      if (length < piece.byteLength) continue
      yield piece
      piece = undefined
      length = 0
    }
  }
  if (piece !== undefined) yield piece.subarray(0, length)
}
