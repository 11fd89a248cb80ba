/**
 * An event as the log holds it, chained to the one before (design §9):
 *
 *   hash = SHA-256("safelight:event:1\n" ‖ previous hash ‖ canonical {at,data,schema,task,type,version})
 *
 * `data` is kept as the text that was hashed, so verifying never depends on how it is parsed.
 */
import * as v from "valibot"
import { toCanonicalJson, type Json } from "../values/canonical-json.ts"
import type { Digest } from "../values/digest.ts"
import { SafelightError, type SafelightErrorCode } from "../errors/safelight-error.ts"
import { parseJson } from "../values/parse-json.ts"
import { toPredicate, type Predicate } from "../values/predicate.ts"
import { EVENT_DATA, EVENT_TYPES, isEventType, type EventType, type TaskEvent } from "./events.ts"
import { downcast, EVENT_SCHEMAS, upcast, type EventSchemas } from "./upcast.ts"

export interface StoredEvent {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Canonical JSON. */
  readonly data: string
  /** 64 lower-case hexadecimal digits. */
  readonly hash: string
  readonly schema: number
  readonly task: string
  readonly type: string
  /** 1, 2, 3… within the task. */
  readonly version: number
}

/** The hash before a task's first event. */
export const GENESIS_HASH = "0".repeat(64)

/** Of two events that take one place one after the other, one pair in four billion has the same. */
const HASH_DIGITS = 8

/** The digits of an event's hash by which it is distinguished from another one in its place. */
export function toHashDigits(hash: string): string {
  return hash.slice(0, HASH_DIGITS)
}

const DOMAIN = "safelight:event:1\n"

/** The hash of an event that follows one with hash `previous`. */
export function hashEvent(
  digest: Digest,
  previous: string,
  event: Omit<StoredEvent, "hash">,
): string {
  const task = JSON.stringify(event.task)
  const type = JSON.stringify(event.type)
  const text = `{"at":${event.at},"data":${event.data},"schema":${event.schema},"task":${task},"type":${type},"version":${event.version}}`
  return digest([DOMAIN, { hex: previous }, text])
}

/**
 * Seals `events` behind version `after` and hash `previous` of `task`. Throws a TypeError, naming the
 * member, on an event that a strict reader would refuse: events can't be changed, and one that can't
 * be read would make every export impossible for good.
 */
export function sealEvents(
  digest: Digest,
  head: { readonly task: string; readonly version: number; readonly hash: string },
  events: readonly TaskEvent[],
  schemas: EventSchemas = EVENT_SCHEMAS,
): StoredEvent[] {
  let { hash, version } = head
  return events.map((event) => {
    version += 1
    checkEvent(event)
    const { data, schema } = downcast(event.type, event.data, schemas)
    const open = {
      at: event.at,
      data: toCanonicalJson(data),
      schema,
      task: head.task,
      type: event.type,
      version,
    }
    hash = hashEvent(digest, hash, open)
    return { ...open, hash }
  })
}

function checkEvent({ type, at, data }: TaskEvent): void {
  if (!Number.isSafeInteger(at) || at < 0) throw new TypeError(`${type} happened at ${at}`)
  const fault = findFault(type, data)
  if (fault !== undefined) throw new TypeError(`${type} does not fit its schema at ${fault}`)
}

const FITS = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, toPredicate(EVENT_DATA[type])]),
) as Record<EventType, Predicate>

/** The first member that does not fit the newest schema. */
function findFault(type: EventType, data: unknown): string | undefined {
  if (FITS[type](data)) return undefined
  const checked = v.safeParse(EVENT_DATA[type], data, { abortEarly: true })
  return (checked.issues && v.getDotPath(checked.issues[0])) ?? "its top"
}

/**
 * Reads a stored event at its newest schema. Throws, naming the event, `schema-too-new` if its type or
 * schema is unknown and `storage-corrupt` if its data is not JSON, or is none that its schema leads on from. Only `verify` checks the hash.
 */
export function openEvent(stored: StoredEvent): TaskEvent {
  return toEvent(stored, parseJson(stored.data))
}

/** As `openEvent`, and checks every member of the data against its schema, as an audit must. */
export function openEventStrictly(stored: StoredEvent): TaskEvent {
  return openParsedEvent(stored, parseJson(stored.data))
}

/**
 * As `openEventStrictly`, for a caller that has parsed `stored.data` already, since nothing else here takes
 * as long. `data` is undefined if the text is not JSON.
 */
export function openParsedEvent(stored: StoredEvent, data: Json | undefined): TaskEvent {
  const event = toEvent(stored, data)
  const fault = findFault(event.type, event.data)
  if (fault === undefined) return event
  throw unreadable(stored, `its data does not fit the schema at ${fault}`)
}

function toEvent(stored: StoredEvent, data: Json | undefined): TaskEvent {
  const { type, schema } = stored
  if (!isEventType(type) || schema > EVENT_SCHEMAS.readable[type]) {
    const why = `this release does not know event ${type} of schema ${schema}`
    throw unreadable(stored, why, { code: "schema-too-new" })
  }
  const isSchema = Number.isInteger(schema) && schema >= 1
  if (!isSchema) throw unreadable(stored, `schema ${schema} never was`)
  if (data === undefined) throw unreadable(stored, "its data is not JSON")
  try {
    return { type, at: stored.at, data: upcast(type, schema, data) } as TaskEvent
  } catch (cause) {
    throw unreadable(stored, `its data does not fit schema ${schema}`, { cause })
  }
}

function unreadable(
  stored: StoredEvent,
  why: string,
  options: { readonly code?: SafelightErrorCode; readonly cause?: unknown } = {},
): SafelightError {
  const message = `event ${stored.version} of task ${stored.task} can't be read: ${why}`
  return new SafelightError({ code: "storage-corrupt", message, ...options })
}
