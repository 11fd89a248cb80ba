/**
 * Opening a stored event for an audit: what can't be opened becomes a finding. An event of a newer
 * release is an obstacle, one that says something impossible a difference.
 */
import {
  isSafelightError,
  openParsedEvent,
  type Json,
  type StoredEvent,
  type TaskEvent,
} from "@safelight/core"
import type { Finding } from "./finding.ts"
import { excerpt } from "./excerpt.ts"

/**
 * The event at its newest schema, or what is found instead. `data` and `sealed` are what `parseJson` and
 * `parseSealed` make of the stored texts.
 */
export function readEvent(
  stored: StoredEvent,
  data: Json | undefined,
  sealed: Json | undefined,
): Finding | TaskEvent {
  try {
    return openParsedEvent(stored, data, sealed)
  } catch (error) {
    if (!isSafelightError(error) && !(error instanceof RangeError)) throw error
    const place = { task: stored.task, version: stored.version }
    const written = excerpt(`${stored.type} of schema ${stored.schema}`)
    if (isSafelightError(error) && error.code === "schema-too-new") {
      const expected = "a type and schema that this release knows"
      return { kind: "event-unknown", ...place, expected, found: written }
    }
    const isDeep = error instanceof RangeError
    const why = isDeep ? "its data is nested too deeply to be read" : error.message
    return { kind: "event-unreadable", ...place, expected: written, found: excerpt(why) }
  }
}
