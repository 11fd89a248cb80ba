/**
 * Finds the byte at which a body that was refused stops being UTF-8 or JSON. Decoders tell no position, and
 * `JSON.parse` says it only for some faults, in words that differ by engine and quote the input. So such a body is
 * read once more, with a count.
 */
import { TokenParser, TokenParserError, Tokenizer } from "@streamparser/json"

/** Small enough to search byte by byte, large enough to reach the fault quickly. */
const WINDOW_BYTES = 4_096

/** The index of the first byte that is not UTF-8; the length if the bytes end within a character. */
export function findUtf8Fault(bytes: Uint8Array): number {
  let start = 0
  while (start < bytes.length) {
    const end = toBoundary(bytes, start + WINDOW_BYTES)
    if (!canDecode(new TextDecoder("utf-8", { fatal: true }), bytes.subarray(start, end))) break
    start = end
  }
  const decoder = new TextDecoder("utf-8", { fatal: true })
  for (let at = start; at < bytes.length; at += 1) {
    if (!canDecode(decoder, bytes.subarray(at, at + 1), { stream: true })) return at
  }
  return bytes.length
}

function canDecode(decoder: TextDecoder, bytes: Uint8Array, options = { stream: false }): boolean {
  try {
    decoder.decode(bytes, options)
    return true
  } catch {
    return false
  }
}

/** The nearest start of a character at or before `end`, at most three bytes away. */
function toBoundary(bytes: Uint8Array, end: number): number {
  if (end >= bytes.length) return bytes.length
  for (let at = end; at > end - 4; at -= 1) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at
  }
  return end
}

/** In the message for a broken token; if the bytes end within one, it names no position. */
const POSITION = /absolute position "(\d+)"/

/** The index of the first byte that is not JSON; the length if the bytes end too early. */
export function findJsonFault(bytes: Uint8Array): number {
  const tokenizer = new Tokenizer()
  const parser = new TokenParser({ keepStack: false })
  let tokenAt = 0
  parser.onValue = () => {}
  tokenizer.onToken = (token) => {
    tokenAt = token.offset
    parser.write(token)
  }
  try {
    tokenizer.write(bytes)
    // A number at the end is a token only now.
    tokenizer.end()
  } catch (error) {
    if (error instanceof TokenParserError) return tokenAt
    const [, at] = POSITION.exec(String(error)) ?? []
    return at === undefined ? bytes.length : Number(at)
  }
  return bytes.length
}
