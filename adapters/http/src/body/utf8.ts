/**
 * Decodes UTF-8 strictly: bytes that common decoders replace by U+FFFD are refused. A byte order mark is
 * dropped (http-decisions §4).
 */

/** Small enough to search byte by byte, large enough to reach the fault quickly. */
const WINDOW_BYTES = 4_096

/** The text, or undefined if the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** The index of the first byte that is not UTF-8; the length if the bytes end within a character. */
export function findUtf8Fault(bytes: Uint8Array): number {
  let start = 0
  while (start < bytes.length) {
    const end = toBoundary(bytes, start + WINDOW_BYTES)
    if (decodeUtf8(bytes.subarray(start, end)) === undefined) break
    start = end
  }
  const decoder = new TextDecoder("utf-8", { fatal: true })
  for (let at = start; at < bytes.length; at += 1) {
    try {
      decoder.decode(bytes.subarray(at, at + 1), { stream: true })
    } catch {
      return at
    }
  }
  return bytes.length
}

/** The nearest start of a character at or before `end`, at most three bytes away. */
function toBoundary(bytes: Uint8Array, end: number): number {
  if (end >= bytes.length) return bytes.length
  for (let at = end; at > end - 4; at -= 1) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at
  }
  return end
}
