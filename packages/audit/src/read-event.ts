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
 * The event at its newest schema, or undefined after handing its finding to `find`. `data` is what
 * `parseJson` makes of the stored text.
 */
export function readEvent(
  stored: StoredEvent,
  data: Json | undefined,
  find: (finding: Finding) => void,
): TaskEvent | undefined {
  try {
    return openParsedEvent(stored, data)
  } catch (error) {
    if (isSafelightError(error)) {
      find(toFinding(stored, error.code === "schema-too-new", error.message))
    } else if (error instanceof RangeError) {
      find(toFinding(stored, false, "its data is nested too deeply to be read"))
    } else {
      throw error
    }
    return undefined
  }
}

function toFinding(stored: StoredEvent, isNewer: boolean, message: string): Finding {
  const place = { task: stored.task, version: stored.version }
  return isNewer
    ? {
        kind: "event-unknown",
        ...place,
        expected: "a type and schema that this release knows",
        found: excerpt(`${stored.type} of schema ${stored.schema}`),
      }
    : {
        kind: "event-unreadable",
        ...place,
        expected: excerpt(`${stored.type} of schema ${stored.schema}`),
        found: excerpt(message),
      }
}
