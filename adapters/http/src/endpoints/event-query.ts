/** The query of a list of events: a log that is no longer than today's rules let it get is one page. */
import type { EventRange } from "@safelight/core"
import { integer, token } from "../request/query-parameters.ts"
import { parseCursor, toCursor } from "./list-cursor.ts"

const MOST_EVENTS = 1_000

export const EVENT_QUERY = {
  limit: integer("The most events on a page.", {
    min: 1,
    max: MOST_EVENTS,
    byDefault: MOST_EVENTS,
  }),
  cursor: token("A `next_cursor`, for the page behind it.", {
    read: parseCursor,
    words: "cursor must be a next_cursor of an earlier answer.",
  }),
}

/** A version of the task's log stands where another list has a moment. */
export function toEventRange(query: {
  readonly limit: number
  readonly cursor: ReturnType<typeof parseCursor>
}): EventRange {
  return { after: query.cursor?.createdAt ?? 0, limit: query.limit }
}

export function toEventCursor(task: string, next: number | null): string | null {
  return next === null ? null : toCursor({ createdAt: next, id: task })
}
