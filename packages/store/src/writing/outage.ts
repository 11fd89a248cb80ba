/**
 * Whether the database takes commits at all, as the lanes observe it: an outage begins with a try that found no
 * connection, or a database that refuses work, and ends with the next one that is answered on any lane. Changes
 * that wait meanwhile wait for the database, and not for the changes before them.
 */
import { isSafelightError } from "@safelight/core"
import { isPassing, toFault } from "../sql/database-error.ts"

export interface Outage {
  /** On the monotonic clock; undefined: there is none. */
  readonly since: () => number | undefined
  /** The error of the newest try; undefined if there is none. */
  readonly error: () => unknown
  /** A try that began at `triedAt` failed with `error`. */
  readonly noteFailed: (error: unknown, triedAt: number) => void
  /** A batch was committed. */
  readonly noteAnswered: () => void
}

export function createOutage(): Outage {
  let current: { readonly since: number; readonly error: unknown } | undefined
  return {
    since: () => current?.since,
    error: () => current?.error,
    noteFailed(error, triedAt) {
      current = isAnswer(error) ? undefined : { since: current?.since ?? triedAt, error }
    },
    noteAnswered() {
      current = undefined
    },
  }
}

/** Whether the database works, so that the statement or its values are at fault. */
function isAnswer(error: unknown): boolean {
  return toFault(error) === "change" || isPassing(error) || isSafelightError(error)
}
