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
 * The event at its newest schema, or undefined after handing its finding to `find`. `data` and `sealed` are what
 * `parseJson` and `parseSealed` make of the stored texts.
 */
export function readEvent(
  stored: StoredEvent,
  data: Json | undefined,
  sealed: Json | undefined,
  find: (finding: Finding) => void,
): TaskEvent | undefined {
  try {
    return openParsedEvent(stored, data, sealed)
  } catch (error) {
    if (!isSafelightError(error) && !(error instanceof RangeError)) throw error
    const place = { task: stored.task, version: stored.version }
    const written = excerpt(`${stored.type} of schema ${stored.schema}`)
    if (isSafelightError(error) && error.code === "schema-too-new") {
      const expected = "a type and schema that this release knows"
      find({ kind: "event-unknown", ...place, expected, found: written })
      return undefined
    }
    const isDeep = error instanceof RangeError
    const why = isDeep ? "its data is nested too deeply to be read" : error.message
    find({ kind: "event-unreadable", ...place, expected: written, found: excerpt(why) })
    return undefined
  }
}
