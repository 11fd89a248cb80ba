/**
 * A place in the list of tasks as clients hold it: opaque, and no secret. It says where to go on and
 * not whose tasks they are, so one that somebody made up shows nothing but the caller's own.
 */
import type { TaskPosition } from "@safelight/core"

const MAX_ID_CHARACTERS = 200

export function toCursor({ createdAt, id }: TaskPosition): string {
  return Buffer.from(`${createdAt}:${id}`).toString("base64url")
}

/** The place, or undefined where `cursor` is none that `toCursor` makes. */
export function parseCursor(cursor: string): TaskPosition | undefined {
  const text = Buffer.from(cursor, "base64url").toString()
  const [moment = ""] = text.split(":", 1)
  const position = { createdAt: Number(moment), id: text.slice(moment.length + 1) }
  const { createdAt, id } = position
  const isPlace = Number.isSafeInteger(createdAt) && createdAt >= 0 && isId(id)
  // Decoding overlooks much; what is not the one spelling of a place was not made here.
  return isPlace && toCursor(position) === cursor ? position : undefined
}

function isId(id: string): boolean {
  return id.length > 0 && id.length <= MAX_ID_CHARACTERS && !id.includes("\0")
}
