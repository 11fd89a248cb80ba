/**
 * An event as the log holds it, chained to the one before (design §9):
 *
 *   hash = SHA-256("safelight:event:1\n" ‖ previous hash ‖ canonical {at,data,schema,sealed,task,type,version})
 *
 * `data` is kept as the text that was hashed, so verifying never depends on how it is parsed. Members that the account
 * may not see are in `sealed` (`sealed-members.ts`), of which the hashed text has the SHA-256. An event without sealed
 * members has no `sealed` in that text either, as events of early schemas, whose `data` has all members.
 */
import * as v from "valibot"
import { toCanonicalJson, type Json } from "../values/canonical-json.ts"
import type { Digest } from "../values/digest.ts"
import { SafelightError, type SafelightErrorCode } from "../errors/safelight-error.ts"
import { parseJson } from "../values/parse-json.ts"
import { toPredicate, type Predicate } from "../values/predicate.ts"
import { EVENT_DATA, EVENT_TYPES, isEventType, type EventType, type TaskEvent } from "./events.ts"
import { divideData, isDivided, uniteData } from "./sealed-members.ts"
import { downcast, EVENT_SCHEMAS, upcast, type EventSchemas } from "./upcast.ts"

export interface StoredEvent {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Canonical JSON. */
  readonly data: string
  /** 64 lower-case hexadecimal digits. */
  readonly hash: string
  readonly schema: number
  /** Canonical JSON of what the operator alone may see, with a salt; null if there is none of it. */
  readonly sealed: string | null
  readonly task: string
  readonly type: string
  /** 1, 2, 3… within the task. */
  readonly version: number
}

/** An event as its account may see it. */
export interface ShownEvent extends Omit<StoredEvent, "sealed"> {
  /** The SHA-256 of the sealed text, which is what the hash covers of it; absent if nothing is sealed. */
  readonly sealed?: string
}

/** What sealing takes from its host, since core computes no hash and has no randomness. */
export interface Sealer {
  readonly digest: Digest
  /** A new text of 22 to 64 characters of base64url, at least 128 bits of which nobody can guess. */
  readonly createSalt: () => string
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

type Hashed = Omit<StoredEvent, "hash" | "sealed">

/** The hash of an event that follows one with hash `previous`; without `sealed` it is as one with null. */
export function hashEvent(
  digest: Digest,
  previous: string,
  event: Hashed & { readonly sealed?: string | null },
): string {
  const { sealed = null } = event
  return hashOpen(digest, previous, event, sealed === null ? undefined : digest([sealed]))
}

/** As `hashEvent`, of an event as its account may see it. */
export function hashShownEvent(
  digest: Digest,
  previous: string,
  event: Omit<ShownEvent, "hash">,
): string {
  return hashOpen(digest, previous, event, event.sealed)
}

/** `sealed` is the SHA-256 of the sealed text; undefined if there is none. */
function hashOpen(
  digest: Digest,
  previous: string,
  { at, data, schema, task, type, version }: Hashed,
  sealed: string | undefined,
): string {
  const commitment = sealed === undefined ? "" : `"sealed":"${sealed}",`
  const typeText = TYPE_TEXTS.get(type) ?? JSON.stringify(type)
  const names = `"task":${toTaskText(task)},"type":${typeText}`
  const text = `{"at":${at},"data":${data},"schema":${schema},${commitment}${names},"version":${version}}`
  return digest([DOMAIN, { hex: previous }, text])
}

const TYPE_TEXTS: ReadonlyMap<string, string> = new Map(
  EVENT_TYPES.map((type) => [type, JSON.stringify(type)]),
)

let last = { task: "", text: JSON.stringify("") }

/** As JSON. The events of a task are mostly hashed one after the other, and the last text is kept. */
function toTaskText(task: string): string {
  if (last.task !== task) last = { task, text: JSON.stringify(task) }
  return last.text
}

/**
 * Seals `events` behind version `after` and hash `previous` of `task`. Throws a TypeError, naming the
 * member, on an event that a strict reader would refuse: events can't be changed, and one that can't
 * be read would make every export impossible for good.
 */
export function sealEvents(
  sealer: Sealer,
  head: { readonly task: string; readonly version: number; readonly hash: string },
  events: readonly TaskEvent[],
  schemas: EventSchemas = EVENT_SCHEMAS,
): StoredEvent[] {
  let { hash, version } = head
  return events.map((event) => {
    version += 1
    checkEvent(event)
    const { at, type } = event
    const { data: whole, schema } = downcast(type, event.data, schemas)
    const { data, sealed } = toTexts(sealer, type, whole, schema)
    const open = { at, data, schema, sealed, task: head.task, type, version }
    hash = hashEvent(sealer.digest, hash, open)
    return { ...open, hash }
  })
}

function toTexts(
  { createSalt }: Sealer,
  type: EventType,
  data: unknown,
  schema: number,
): Pick<StoredEvent, "data" | "sealed"> {
  if (!isDivided(type, schema)) return { data: toCanonicalJson(data), sealed: null }
  const { sealed, shown } = divideData(type, data, createSalt())
  return { data: toCanonicalJson(shown), sealed: toCanonicalJson(sealed) }
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
 * schema is unknown and `storage-corrupt` if one of its texts is not JSON, or is none that its schema leads on from.
 * Only `verify` checks the hash.
 */
export function openEvent(stored: StoredEvent): TaskEvent {
  return toEvent(stored, parseJson(stored.data), parseSealed(stored))
}

/** As `openEvent`, and checks every member of the data against its schema, as an audit must. */
export function openEventStrictly(stored: StoredEvent): TaskEvent {
  return openParsedEvent(stored, parseJson(stored.data))
}

/** What `sealed` of the event says; undefined if there is none, or if it is not JSON. */
export function parseSealed({ sealed }: StoredEvent): Json | undefined {
  return sealed === null ? undefined : parseJson(sealed)
}

/**
 * As `openEventStrictly`, for a caller that has parsed `stored.data` already, and maybe `stored.sealed`, since nothing
 * else here takes as long. Each is undefined if the text is not JSON.
 */
export function openParsedEvent(
  stored: StoredEvent,
  data: Json | undefined,
  sealed: Json | undefined = parseSealed(stored),
): TaskEvent {
  const event = toEvent(stored, data, sealed)
  const fault = findFault(event.type, event.data)
  if (fault === undefined) return event
  throw unreadable(stored, `its data does not fit the schema at ${fault}`)
}

function toEvent(stored: StoredEvent, data: Json | undefined, sealed: Json | undefined): TaskEvent {
  const { type, schema } = stored
  if (!isEventType(type) || schema > EVENT_SCHEMAS.readable[type]) {
    const why = `this release does not know event ${type} of schema ${schema}`
    throw unreadable(stored, why, { code: "schema-too-new" })
  }
  const isSchema = Number.isInteger(schema) && schema >= 1
  if (!isSchema) throw unreadable(stored, `schema ${schema} never was`)
  if (data === undefined) throw unreadable(stored, "its data is not JSON")
  const isTwo = isDivided(type, schema)
  if ((stored.sealed !== null) !== isTwo) {
    throw unreadable(stored, isTwo ? "its sealed text is missing" : "it has a sealed text")
  }
  if (isTwo && sealed === undefined) throw unreadable(stored, "its sealed text is not JSON")
  try {
    const whole = isTwo ? uniteData(type, data, sealed) : data
    return { type, at: stored.at, data: upcast(type, schema, whole) } as TaskEvent
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
