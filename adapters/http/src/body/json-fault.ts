/**
 * Finds the byte at which bytes stop being JSON. `JSON.parse` says so only for some faults, in words that
 * differ by engine and quote the input. So a text that it refused is read once more, by a parser that counts.
 */
import { TokenParser, TokenParserError, Tokenizer } from "@streamparser/json"

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
    const [, at] = POSITION.exec((error as Error).message) ?? []
    return at === undefined ? bytes.length : Number(at)
  }
  return bytes.length
}
