/** A channel's operation as a person hands it in: JSON, or plain text, which needs no quotes. */
import type { Json } from "@safelight/core"

/** For people: what `parseOperation` takes. */
export const OPERATION_WORDS = "expected JSON but null, or a plain text without blanks and quotes"

/** Most operations are ids. Text that looks like JSON must be JSON; undefined if it is not, or null. */
export function parseOperation(text: string): Json | undefined {
  const parsed = parse(text)
  if (parsed !== undefined) return parsed ?? undefined
  return /^[^\s"'[{][^\s"]*$/.test(text) ? text : undefined
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
