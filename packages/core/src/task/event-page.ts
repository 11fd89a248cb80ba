/** Pages of a task's log. */
import type { EventPage } from "../ports/task-service.ts"
import type { StoredEvent } from "./stored-event.ts"

/** The page with the first `limit` of `events`; a caller that read one more than that knows whether it is the last. */
export function toEventPage(events: readonly StoredEvent[], limit: number): EventPage<StoredEvent> {
  const shown = events.slice(0, limit)
  const last = shown.at(-1)
  return { events: shown, next: last && events.length > limit ? last.version : null }
}
