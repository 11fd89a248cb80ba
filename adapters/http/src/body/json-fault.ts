/**
 * Where bytes stop being JSON. `JSON.parse` tells it for some faults alone, in words that differ by
 * engine and quote the input, so what it has refused is read once more by a parser that counts.
 */
import { TokenParser, TokenParserError, Tokenizer } from "@streamparser/json"

/** As the words for a broken token tell it; for bytes that end within one they tell none. */
const POSITION = /absolute position "(\d+)"/

/** The index of the first byte that can't stand where it does; the length where the bytes end too early. */
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
    // A number that stands last is a token only now.
    tokenizer.end()
  } catch (error) {
    if (error instanceof TokenParserError) return tokenAt
    const [, at] = POSITION.exec((error as Error).message) ?? []
    return at === undefined ? bytes.length : Number(at)
  }
  return bytes.length
}
