/**
 * Bytes as lines, whatever pieces they come in. A line keeps its break, since the break is hashed with
 * it. A last line without a break is yielded without one, so that the reader sees the cut. A line is good
 * until the next is asked for: it may be a view of the body's own buffer, which the body may use again.
 */
import { MAX_LINE_BYTES, refused } from "./export-format.ts"

const LINE_BREAK = 10

export async function* splitLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    let start = 0
    for (let end = toEnd(chunk, start); end > 0; end = toEnd(chunk, start)) {
      const line = chunk.subarray(start, end)
      yield pieces.length === 0 ? line : Buffer.concat([...pieces, line])
      pieces = []
      bytes = 0
      start = end
    }
    // Copied, since it has to outlive the chunk.
    if (start < chunk.length) pieces.push(Uint8Array.from(chunk.subarray(start)))
    bytes += chunk.length - start
    if (bytes > MAX_LINE_BYTES) throw refused("the file has a line that no export has")
  }
  if (pieces.length > 0) yield Buffer.concat(pieces)
}

/** Behind the next break, or 0. */
function toEnd(chunk: Uint8Array, start: number): number {
  return chunk.indexOf(LINE_BREAK, start) + 1
}
