/**
 * What a proof may give an account of its events: each as it is stored, with a digest in the place of what is sealed.
 * The hash can be computed from it and the hash before.
 *
 * Early schemas have costs among the data that is hashed. An account that knew the other members and the hashes around
 * could try one cost after the other, and it would know the right one by the first hash that fits. So from such an event
 * on, no hash of the task may be told, not even that of a later event: it covers all before it.
 */
import type { Digest } from "../values/digest.ts"
import { isEventType } from "./events.ts"
import { hidesMembers, isDivided } from "./sealed-members.ts"
import type { ShownEvent, StoredEvent } from "./stored-event.ts"
import { EVENT_SCHEMAS } from "./upcast.ts"

/**
 * The event as its account may see it; undefined if `data` may have members that are the operator's: of an early
 * schema, of one that this release does not know, or of an event that lacks its sealed text. Then nothing of its hash
 * and of those behind it may be told: a proof takes `toShownEvents`.
 */
export function toShownEvent(digest: Digest, stored: StoredEvent): ShownEvent | undefined {
  const { at, data, hash, schema, sealed, task, type, version } = stored
  if (!isEventType(type) || schema > EVENT_SCHEMAS.readable[type]) return undefined
  const isTwo = isDivided(type, schema)
  if (isTwo !== (sealed !== null) || isTwo !== hidesMembers(type)) return undefined
  const commitment = sealed === null ? {} : { sealed: digest([sealed]) }
  return { at, data, hash, schema, ...commitment, task, type, version }
}

/** The first of `events`, which are all of a task, oldest first, whose hashes its account may know. */
export function toShownEvents(digest: Digest, events: readonly StoredEvent[]): ShownEvent[] {
  const shown: ShownEvent[] = []
  for (const stored of events) {
    const event = toShownEvent(digest, stored)
    if (event === undefined) return shown
    shown.push(event)
  }
  return shown
}
