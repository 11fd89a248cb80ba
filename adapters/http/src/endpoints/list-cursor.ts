/**
 * A position in the list of tasks, as clients hold it: opaque, and no secret. It does not say whose tasks
 * they are, so one that somebody made up shows nothing but the caller's own.
 */
import type { TaskPosition } from "@safelight/core"

const MAX_ID_CHARACTERS = 200
const BASE64URL = /^[\w-]+$/

export function toCursor({ createdAt, id }: TaskPosition): string {
  const bytes = new TextEncoder().encode(`${createdAt}:${id}`)
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/** The position, or undefined if `toCursor` did not make `cursor`. */
export function parseCursor(cursor: string): TaskPosition | undefined {
  const text = decode(cursor)
  const [moment = ""] = text.split(":", 1)
  const position = { createdAt: Number(moment), id: text.slice(moment.length + 1) }
  const { createdAt, id } = position
  const isPlace = Number.isSafeInteger(createdAt) && createdAt >= 0 && isId(id)
  // Decoding is lenient: only the one spelling of a position was made here.
  return isPlace && toCursor(position) === cursor ? position : undefined
}

/** Empty if the cursor is not base64url. */
function decode(cursor: string): string {
  // Four digits are three bytes, and one digit alone is none.
  if (!BASE64URL.test(cursor) || cursor.length % 4 === 1) return ""
  const binary = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"))
  return new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0)))
}

function isId(id: string): boolean {
  return id.length > 0 && id.length <= MAX_ID_CHARACTERS && !id.includes("\0")
}
