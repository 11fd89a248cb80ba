/**
 * JSON that may be none: a stored text may be damaged, and a server may send a page of its proxy or half of
 * a body. The host's own error quotes the text, which may hold a prompt or a secret, so it is not passed on.
 */
import type { Json } from "./canonical-json.ts"

/** Undefined if the text is not JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
