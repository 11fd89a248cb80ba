/**
 * Schema versions of events and the pure steps between them. Two constants say which version of each
 * event this release reads and which it writes, so that a release can read a new version before a
 * later one writes it: both then serve one database. A version that only says what no earlier release could make
 * is written by the same release, and only for an event that says it: any other is written as before, byte for
 * byte. In memory an event always has the newest shape that is readable; `tests/core/golden` holds an event of
 * every version.
 *
 * The versions that seal members (`sealed-members.ts`) are the exception: they are read and written at once, since
 * nothing was released before them. A database with the column that they need refuses the code before.
 */
import type { EventData, EventType } from "./events.ts"

type Versions = Readonly<Record<EventType, number>>

/** One schema version to the next, or back to the one before. */
type Step = (data: unknown) => unknown
type Steps = Partial<Record<EventType, readonly Step[]>>
/** Whether data of a schema version is data of the one before as it stands. */
type Test = (data: unknown) => boolean

export interface EventSchemas {
  /** The version that is written: never above the one that is read. */
  readonly written: Versions
  /** The newest version that is read; `EVENT_DATA` describes it. */
  readonly readable: Versions
  /** `upcasters.type[n - 1]` leads from schema n to n + 1. */
  readonly upcasters: Steps
  /** `downcasters.type[n - 1]` leads from schema n + 1 back to n, for as long as n is written. */
  readonly downcasters: Steps
  /** `fits.type[n - 1]`: whether data of schema n + 1 is data of schema n too, and is written as that. */
  readonly fits?: Partial<Record<EventType, readonly Test[]>>
}

const VERSIONS: Versions = {
  submitted: 2,
  dispatched: 2,
  accepted: 2,
  doubted: 1,
  deferred: 2,
  progressed: 1,
  succeeded: 3,
  failed: 3,
  held: 1,
  expired: 1,
}

/** What this release writes, and what it reads. */
export const EVENT_SCHEMAS: EventSchemas = {
  written: VERSIONS,
  readable: VERSIONS,
  // Schema 2 of what ends a task adds sound, text, 3D and what is made together, and what such tasks use up. The newest
  // of these five seals members; whole, as they are in memory, they are those of the schema before.
  upcasters: {
    submitted: [keep],
    dispatched: [keep],
    accepted: [keep],
    deferred: [keep],
    succeeded: [keep, keep],
    failed: [keep, keep],
  },
  downcasters: {},
  // Schema 2 adds definitions of models.
  fits: { submitted: [lacksDefinition] },
}

function lacksDefinition(data: unknown): boolean {
  return (data as EventData<"submitted">).definition === undefined
}

function keep(data: unknown): unknown {
  return data
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
  let brought = data
  for (let from = schema; from < readable[type]; from += 1) {
    brought = findStep(type, upcasters, from)(brought)
  }
  return brought
}

/** Event data of the newest version that is readable, brought back to the one that is written, and which that is. */
export function downcast(
  type: EventType,
  data: unknown,
  { downcasters, fits, readable, written }: EventSchemas = EVENT_SCHEMAS,
): { readonly data: unknown; readonly schema: number } {
  let brought = data
  for (let from = readable[type] - 1; from >= written[type]; from -= 1) {
    brought = findStep(type, downcasters, from)(brought)
  }
  let schema = written[type]
  const tests = fits?.[type] ?? []
  while (tests[schema - 2]?.(brought) === true) schema -= 1
  return { data: brought, schema }
}

/** The one between schema `from` and the next. */
function findStep(type: EventType, steps: Steps, from: number): Step {
  const step = steps[type]?.[from - 1]
  if (step !== undefined) return step
  throw new TypeError(`there is no way between schema ${from} and ${from + 1} of ${type}`)
}
