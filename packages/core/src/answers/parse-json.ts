/** JSON of a server that may as well send a page of its proxy, or half of a body: then it says nothing. */
import type { Json } from "../canonical-json.ts"

/** Undefined if the text is no JSON. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
