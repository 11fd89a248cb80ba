/**
 * What webhooks tell: every event of a task by its type, and the notice that a task's artifacts expire soon,
 * which is no event. A test message has a type of its own, which nobody chooses: it is sent when asked for.
 */
import { EVENT_TYPES, type EventType } from "../task/events.ts"

export type WebhookType = `task.${EventType}` | typeof EXPIRING_TYPE

/** A day before the last artifact expires. */
export const EXPIRING_TYPE = "task.expiring"

export const TEST_TYPE = "webhook.test"

/** All that an endpoint may choose. */
export const WEBHOOK_TYPES: readonly WebhookType[] = [
  ...EVENT_TYPES.map((type) => `task.${type}` as const),
  EXPIRING_TYPE,
]
