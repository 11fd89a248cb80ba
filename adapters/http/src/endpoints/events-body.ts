/**
 * The events of a task, as its account may see them: which channel was chosen and why, and how each attempt
 * ended. Handles and keys at a provider, leases and locators are the operator's and left out.
 */
import type { EventPage, TaskEvent } from "@safelight/core"
import { toEventCursor } from "./event-query.ts"

/** JSON of the events behind version `after`; oldest first, with the moments in milliseconds. */
export function toEventsText(
  task: string,
  after: number,
  { events, next }: EventPage<TaskEvent>,
): string {
  const shown = events.map((event, index) => ({
    version: after + index + 1,
    type: event.type,
    at_ms: event.at,
    ...toMembers(event),
  }))
  return JSON.stringify({ task_id: task, events: shown, next_cursor: toEventCursor(task, next) })
}

/** That the operator owes a provider money is nobody else's business. */
function toToldReason(reason: string): string {
  return reason === "provider_out_of_money" ? "provider_unavailable" : reason
}

function toMembers(event: TaskEvent): object {
  switch (event.type) {
    case "submitted": {
      const { endBy, model, reservationMicros } = event.data
      return { model, reserved_micros: reservationMicros, end_by_ms: endBy }
    }
    case "dispatched": {
      const { attempt, because, channel } = event.data
      return { attempt, channel, because }
    }
    case "accepted":
      return {}
    case "doubted":
      return { reason: event.data.code }
    case "deferred":
      return { reason: toToldReason(event.data.reason), retry_at_ms: event.data.retryAt }
    case "progressed":
      return { progress: event.data.progress }
    case "succeeded": {
      const { artifacts, chargeMicros } = event.data
      return { charge_micros: chargeMicros, artifact_keys: artifacts.map(({ key }) => key) }
    }
    case "failed": {
      const { chargeMicros, error } = event.data
      const { message, type, code } = error
      return { charge_micros: chargeMicros, error: { message, type, code } }
    }
    case "held":
      return { until_ms: event.data.until }
    case "expired":
      return { artifact_keys: event.data.keys }
  }
}
