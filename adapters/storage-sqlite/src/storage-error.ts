/** SQLite's failures as the errors of core, translated once. */
import { isSafelightError, SafelightError } from "@safelight/core"
import { DatabaseError, type ChangeOutcome } from "@safelight/store"
import {
  FILE_GONE,
  isChangeFault,
  isSqliteError,
  isTooLarge,
  toFailure,
  type Failure,
  readTwice,
} from "./failure.ts"

// https://www.sqlite.org/rescode.html
const CORRUPT = 11
const NOT_A_DATABASE = 26

export interface FailureContext {
  readonly cause?: unknown
  /** Whether surely nothing of a write was stored. */
  readonly isUndone?: boolean
}

export function toSafelightError(failure: Failure, context: FailureContext = {}): SafelightError {
  const { resultCode, message } = failure
  if (resultCode === CORRUPT || resultCode === NOT_A_DATABASE) {
    const words = `the database file is damaged, can't be read or is no database: ${message}`
    return new SafelightError({ code: "storage-corrupt", message: words, ...context })
  }
  return new SafelightError({
    code: "storage-unavailable",
    message: resultCode === FILE_GONE ? message : `SQLite refused: ${message}`,
    retryable: !isChangeFault(failure),
    ...context,
  })
}

/** Any error of opening a database, as the port has it. */
export function toOpeningError(error: unknown): unknown {
  return isSafelightError(error) ? error : toSafelightError(toFailure(error), { cause: error })
}

/** The error of a batch: `isUndone` if surely nothing of it is stored, and unknown otherwise. */
export function toDatabaseError(failure: Failure, isUndone: boolean): DatabaseError {
  const { code, message } = toSafelightError(failure)
  const fault = isUndone ? "refused" : "lost"
  return new DatabaseError({
    fault,
    message,
    code: code === "storage-corrupt" ? code : "storage-unavailable",
  })
}

export function tooLarge(cause?: unknown): SafelightError {
  const message = "a number of the database, or a sum, is larger than can be told exactly"
  return new SafelightError({ code: "storage-corrupt", message, cause })
}

/** Reads on a connection and translates what that throws; a page that the disk did not give is read again. */
export function translated<Result>(read: () => Result): Result {
  try {
    return readTwice(read)
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge(error)
    if (!isSqliteError(error)) throw error
    throw toSafelightError(toFailure(error), { cause: error })
  }
}

/** The writing thread answers each change with its outcome or its failure. */
export function isChangeOutcome(outcome: ChangeOutcome | Failure): outcome is ChangeOutcome {
  return typeof outcome !== "object" || !("resultCode" in outcome)
}
