/**
 * A list is answered page by page. Only a null `next_cursor` is the end: a page may be short, or even empty, before
 * it. A cursor is a position, opaque and no secret: it does not say whose list it is of, so one that somebody made up
 * shows nothing but the caller's own.
 */
import type { EventRange, TaskPosition } from "@safelight/core"
import * as v from "valibot"
import { described } from "./body.ts"
import { integer, token, type QueryParameter } from "../request/query-parameters.ts"

export const nextCursor = described(
  v.nullable(v.string()),
  "What `cursor` takes to go on; null at the end of the list.",
)

export type PageQuery = {
  readonly limit: QueryParameter<number, number>
  readonly cursor: QueryParameter<TaskPosition, undefined>
}

/** A page that a person reads at once; the most is what a hundred requests for one would have cost. */
const USUAL_LIMITS = { most: 100, byDefault: 20 }

/** The parameters of a list's query; `things` are what it lists. */
export function toPageQuery(things: string, { most, byDefault } = USUAL_LIMITS): PageQuery {
  return {
    limit: integer(`The most ${things} on a page.`, { min: 1, max: most, byDefault }),
    cursor: token("A `next_cursor`, for the page behind it.", {
      read: parseCursor,
      words: "cursor must be a next_cursor of an earlier answer.",
    }),
  }
}

const MAX_ID_CHARACTERS = 200
const BASE64URL = /^[\w-]+$/

/** `next` is the position of the last on the page, or its name in a list whose order has no moment. */
export function toNextCursor(next: TaskPosition | string | null): string | null {
  if (next === null) return null
  return toCursor(typeof next === "string" ? { createdAt: 0, id: next } : next)
}

/** JSON of a page whose items are written already. */
export function toPageText(
  name: string,
  texts: readonly string[],
  next: TaskPosition | null,
): string {
  const cursor = JSON.stringify(toNextCursor(next))
  return `{"${name}":[${texts.join(",")}],"next_cursor":${cursor}}`
}

function toCursor({ createdAt, id }: TaskPosition): string {
  const bytes = new TextEncoder().encode(`${createdAt}:${id}`)
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")
}

/** The position, or undefined if `toCursor` did not make `cursor`. */
function parseCursor(cursor: string): TaskPosition | undefined {
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

/** Of a task's events: a log that is no longer than today's rules let it get is one page. */
const MOST_EVENTS = 1_000
export const EVENT_QUERY = toPageQuery("events", { most: MOST_EVENTS, byDefault: MOST_EVENTS })

/** A version of the task's log stands where another list has a moment. */
export function toEventRange(query: {
  readonly limit: number
  readonly cursor: TaskPosition | undefined
}): EventRange {
  return { after: query.cursor?.createdAt ?? 0, limit: query.limit }
}

export function toEventCursor(task: string, next: number | null): string | null {
  return toNextCursor(next === null ? null : { createdAt: next, id: task })
}
