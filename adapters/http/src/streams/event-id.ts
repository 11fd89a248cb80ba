/**
 * The ids of streams' events: where an event is, and the first digits of its hash. After a database has lost
 * commits another event may be there; a client that comes back with the id of the lost one is told to start over.
 * So is one whose id has no digits, as those of earlier releases had none: what it names can't be known.
 */
import type { ChangePosition, EventPlace } from "@safelight/core"

/** In the stream of an account: `feed:position:digits`. */
export function toPositionId({ feed, position, digits }: ChangePosition): string {
  return `${feed}:${position}:${digits}`
}

/** An id that is none of ours is that of a feed that there is not. */
export function parsePositionId(id: string): ChangePosition {
  const found = /^([0-9a-f-]{36}):([0-9]{1,15}):([0-9a-f]{8})$/.exec(id) ?? []
  const [, feed = "", position = "", digits = ""] = found
  return { feed, position: Number(position), digits }
}

/** In the stream of a task: `version:digits`. */
export function toPlaceId({ version, digits }: EventPlace): string {
  return `${version}:${digits}`
}

/** An id that is none of ours is that of an event that there is not. */
export function parsePlaceId(id: string): EventPlace {
  const [, version = "", digits = ""] = /^([0-9]{1,9}):([0-9a-f]{8})$/.exec(id) ?? []
  return { version: Number(version), digits }
}
