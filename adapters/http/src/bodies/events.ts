/**
 * The events of a task. Its account may see which channel was chosen and why, and how each attempt ended: handles and
 * keys at a provider, leases and locators are the operator's and left out. The operator sees them as they are stored.
 */
import {
  EVENT_TYPES,
  textToImage,
  toToldReason,
  type EventPage,
  type StoredEvent,
  type TaskEvent,
} from "@safelight/core"
import * as v from "valibot"
import { defineBody, described, type Shown } from "./body.ts"
import { nextCursor, toEventCursor } from "./page.ts"
import { EXAMPLE_ID, taskId, unixMs, whole } from "./shapes.ts"
import { taskFailure } from "./task.ts"

const event = v.object({
  version: described(v.pipe(v.number(), v.integer(), v.minValue(1)), "Its place in the log."),
  type: v.picklist(EVENT_TYPES),
  at_ms: unixMs,
  model: v.optional(v.string()),
  reserved_micros: v.optional(whole),
  end_by_ms: v.optional(described(unixMs, "By then the task has ended.")),
  attempt: v.optional(described(whole, "From 1; a repeat after a doubt is one, too.")),
  channel: v.optional(described(v.string(), "Which one was asked.")),
  because: v.optional(described(v.string(), "Why that one, for people.")),
  reason: v.optional(described(v.string(), "What was seen, as a short code.")),
  retry_at_ms: v.optional(unixMs),
  until_ms: v.optional(described(unixMs, "Artifacts are kept until then, or longer.")),
  progress: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(99))),
  charge_micros: v.optional(whole),
  artifact_keys: v.optional(v.array(v.string())),
  error: v.optional(taskFailure),
})

const BEGAN_MS = 1_767_225_600_000

const EVENT_LIST_EXAMPLE = {
  task_id: EXAMPLE_ID,
  events: [
    {
      version: 1,
      type: "submitted",
      at_ms: BEGAN_MS,
      model: textToImage.id,
      reserved_micros: 10_000,
      end_by_ms: BEGAN_MS + 3_600_000,
    },
    {
      version: 2,
      type: "dispatched",
      at_ms: BEGAN_MS + 4,
      attempt: 1,
      channel: "studio",
      because: "tier 1, 1 of 1 channels able",
    },
    { version: 3, type: "accepted", at_ms: BEGAN_MS + 9 },
    {
      version: 4,
      type: "succeeded",
      at_ms: BEGAN_MS + 9_000,
      charge_micros: 10_000,
      artifact_keys: ["image_1"],
    },
  ],
  next_cursor: null,
} as const

export const eventList = defineBody("EventList", EVENT_LIST_EXAMPLE, {
  task_id: taskId,
  events: described(v.array(event), "Oldest first."),
  next_cursor: nextCursor,
})

const STORED_EVENT_LIST_EXAMPLE = {
  task_id: EXAMPLE_ID,
  events: [
    {
      at: 1_767_225_605_000,
      data: '{"progress":40}',
      hash: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
      schema: 1,
      sealed: null,
      task: EXAMPLE_ID,
      type: "progressed",
      version: 4,
    },
  ],
  next_cursor: null,
} as const

export const storedEventList = defineBody("StoredEventList", STORED_EVENT_LIST_EXAMPLE, {
  task_id: v.string(),
  events: v.array(
    v.object({
      at: described(whole, "Milliseconds since the Unix epoch."),
      data: described(v.string(), "Canonical JSON, as it is hashed: what its account may see."),
      hash: described(v.string(), "64 lower-case hexadecimal digits."),
      schema: whole,
      sealed: described(
        v.nullable(v.string()),
        "Canonical JSON of what the operator alone may see, with a salt; null if there is none of it.",
      ),
      task: v.string(),
      type: v.string(),
      version: described(whole, "1, 2, 3… within the task."),
    }),
  ),
  next_cursor: nextCursor,
})

/** The events behind version `after`; oldest first, with the moments in milliseconds. */
export function toEventsBody(
  task: string,
  after: number,
  { events, next }: EventPage<TaskEvent>,
): Shown<typeof eventList> {
  const shown = events.map((each, index) => ({
    version: after + index + 1,
    type: each.type,
    at_ms: each.at,
    ...toMembers(each),
  }))
  return { task_id: task, events: shown, next_cursor: toEventCursor(task, next) }
}

function toMembers(happened: TaskEvent): Omit<Shown<typeof event>, "at_ms" | "type" | "version"> {
  switch (happened.type) {
    case "submitted": {
      const { endBy, model, reservationMicros } = happened.data
      return { model, reserved_micros: reservationMicros, end_by_ms: endBy }
    }
    case "dispatched": {
      const { attempt, because, channel } = happened.data
      return { attempt, channel, because }
    }
    case "accepted":
      return {}
    case "doubted":
      return { reason: happened.data.code }
    case "deferred":
      return { reason: toToldReason(happened.data.reason), retry_at_ms: happened.data.retryAt }
    case "progressed":
      return { progress: happened.data.progress }
    case "succeeded": {
      const { artifacts, chargeMicros } = happened.data
      return { charge_micros: chargeMicros, artifact_keys: artifacts.map(({ key }) => key) }
    }
    case "failed": {
      const { chargeMicros, error } = happened.data
      const { message, type, code } = error
      return { charge_micros: chargeMicros, error: { message, type, code } }
    }
    case "held":
      return { until_ms: happened.data.until }
    case "expired":
      return { artifact_keys: happened.data.keys }
  }
}

export function toStoredEventsBody(
  task: string,
  { events, next }: EventPage<StoredEvent>,
): Shown<typeof storedEventList> {
  return {
    task_id: task,
    events: events.map(({ at, data, hash, schema, sealed, task: of, type, version }) => {
      return { at, data, hash, schema, sealed, task: of, type, version }
    }),
    next_cursor: toEventCursor(task, next),
  }
}
