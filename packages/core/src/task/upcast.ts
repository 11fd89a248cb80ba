/**
 * Schema versions of events and the pure steps between them. Two constants say which version of each
 * event this release reads and which it writes, so that a release can read a new version before a
 * later one writes it: both then serve one database. In memory an event always has the newest shape
 * that is readable; `tests/core/golden` holds an event of every version.
 */
import type { EventType } from "./events.ts"

type Versions = Readonly<Record<EventType, number>>

/** One schema version to the next, or back to the one before. */
type Step = (data: unknown) => unknown
type Steps = Partial<Record<EventType, readonly Step[]>>

export interface EventSchemas {
  /** The version that is written: never above the one that is read. */
  readonly written: Versions
  /** The newest version that is read; `EVENT_DATA` describes it. */
  readonly readable: Versions
  /** `upcasters.type[n - 1]` leads from schema n to n + 1. */
  readonly upcasters: Steps
  /** `downcasters.type[n - 1]` leads from schema n + 1 back to n, for as long as n is written. */
  readonly downcasters: Steps
}

const FIRST: Versions = {
  submitted: 1,
  dispatched: 1,
  accepted: 1,
  doubted: 1,
  deferred: 1,
  progressed: 1,
  succeeded: 1,
  failed: 1,
  held: 1,
  expired: 1,
}

/** What this release writes, and what it reads. */
export const EVENT_SCHEMAS: EventSchemas = {
  written: FIRST,
  readable: FIRST,
  upcasters: {},
  downcasters: {},
}

/**
 * Event data of `schema`, brought to the newest version that is readable. Throws a TypeError if a step
 * is missing.
 */
export function upcast(
  type: EventType,
  schema: number,
  data: unknown,
  { readable, upcasters }: EventSchemas = EVENT_SCHEMAS,
): unknown {
  if (schema >= readable[type]) return data
  return listSteps(type, upcasters, schema, readable[type]).reduce(run, data)
}

/** Event data of the newest version that is readable, brought back to the one that is written. */
export function downcast(
  type: EventType,
  data: unknown,
  { downcasters, readable, written }: EventSchemas = EVENT_SCHEMAS,
): unknown {
  if (written[type] >= readable[type]) return data
  return listSteps(type, downcasters, written[type], readable[type]).reduceRight(run, data)
}

function run(data: unknown, step: Step): unknown {
  return step(data)
}

function listSteps(type: EventType, steps: Steps, from: number, to: number): readonly Step[] {
  const found = (steps[type] ?? []).slice(from - 1, to - 1)
  if (found.length === to - from) return found
  throw new TypeError(`there is no way between schema ${from} and ${to} of ${type}`)
}
