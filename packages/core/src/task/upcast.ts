/**
 * Schema versions of events and the pure steps from an older one to the next. A release reads a
 * new version before a later one writes it, so that both can serve one database meanwhile; which it
 * reads and which it writes are therefore two tables. `tests/core/golden` holds an event of every
 * version.
 */
import type { EventType } from "./events.ts"

/** The version that this release writes, by event type: at most the one that it reads. */
export const WRITTEN_SCHEMA: Readonly<Record<EventType, number>> = {
  submitted: 1,
  dispatched: 1,
  accepted: 1,
  doubted: 1,
  deferred: 1,
  progressed: 1,
  succeeded: 1,
  failed: 1,
  expired: 1,
}

/** The newest version that this release reads, by event type; `EVENT_DATA` describes it. */
export const READABLE_SCHEMA: Readonly<Record<EventType, number>> = {
  submitted: 1,
  dispatched: 1,
  accepted: 1,
  doubted: 1,
  deferred: 1,
  progressed: 1,
  succeeded: 1,
  failed: 1,
  expired: 1,
}

type Upcaster = (data: unknown) => unknown

/** `UPCASTERS.type[n - 1]` leads from schema n to n + 1. */
const UPCASTERS: Partial<Record<EventType, readonly Upcaster[]>> = {}

/** Event data of `schema`, brought to the newest version that is readable. */
export function upcast(type: EventType, schema: number, data: unknown): unknown {
  const steps = UPCASTERS[type]
  if (steps === undefined) return data
  return steps.slice(schema - 1).reduce((older, step) => step(older), data)
}
