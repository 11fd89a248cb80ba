/**
 * Schema versions of events and the pure steps from an older one to the next. A release reads a
 * new version before a later one writes it, so that both can serve one database meanwhile; which it
 * reads and which it writes are therefore two tables. `tests/core/golden` holds an event of every
 * version.
 */
import type { EventType } from "./events.ts"

/**
 * Schema 2 tells what an attempt cost upstream. It may be written by the release that first reads it:
 * schema 9 of a database, which came with it, keeps all older code out.
 */
const COSTS = 2

/** The version that this release writes, by event type: at most the one that it reads. */
export const WRITTEN_SCHEMA: Readonly<Record<EventType, number>> = {
  submitted: 1,
  dispatched: 1,
  accepted: 1,
  doubted: 1,
  deferred: COSTS,
  progressed: 1,
  succeeded: COSTS,
  failed: COSTS,
  expired: 1,
}

/** The newest version that this release reads, by event type; `EVENT_DATA` describes it. */
export const READABLE_SCHEMA: Readonly<Record<EventType, number>> = {
  submitted: 1,
  dispatched: 1,
  accepted: 1,
  doubted: 1,
  deferred: COSTS,
  progressed: 1,
  succeeded: COSTS,
  failed: COSTS,
  expired: 1,
}

type Upcaster = (data: unknown) => unknown

/** `UPCASTERS.type[n - 1]` leads from schema n to n + 1. */
const UPCASTERS: Partial<Record<EventType, readonly Upcaster[]>> = {
  // Nothing was billed that was tried again.
  deferred: [(data) => ({ ...toMembers(data), cost: "none", isRefusal: false })],
  succeeded: [(data) => ({ ...toMembers(data), cost: "unknown" })],
  // A failure was told with what it used, or nothing: whether it was billed then, nobody knows.
  failed: [(data) => ({ ...toMembers(data), cost: "unknown" })],
}

/** What is no object stays as it is, so that whoever checks it names it. */
function toMembers(data: unknown): object {
  return typeof data === "object" && data !== null ? data : { data }
}

/** Event data of `schema`, brought to the newest version that is readable. */
export function upcast(type: EventType, schema: number, data: unknown): unknown {
  const steps = UPCASTERS[type]
  if (steps === undefined) return data
  return steps.slice(schema - 1).reduce((older, step) => step(older), data)
}
