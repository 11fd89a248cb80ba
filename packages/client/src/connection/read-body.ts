/** Reads a short body into memory, up to a bound. */
import { clientError } from "./api-error.ts"
import type { ApiAnswer } from "./send-request.ts"

/** Rejects as the body does, and with `invalid_answer` past `mostBytes`. */
export async function readText(answer: ApiAnswer, mostBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ""
  let bytes = 0
  for await (const piece of answer.pieces()) {
    bytes += piece.byteLength
    if (bytes > mostBytes) {
      const message = `the answer has more than ${mostBytes} bytes`
      throw clientError("invalid_answer", message, { status: answer.status })
    }
    text += decoder.decode(piece, { stream: true })
  }
  return text + decoder.decode()
}

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
