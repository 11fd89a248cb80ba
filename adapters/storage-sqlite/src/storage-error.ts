/** SQLite's failures as the errors of core, translated once. */
import { SafelightError } from "@safelight/core"
import { isChangeFault, isSqliteError, isTooLarge, toFailure, type Failure } from "./failure.ts"

// https://www.sqlite.org/rescode.html
const CORRUPT = 11
const NOT_A_DATABASE = 26

export function toSafelightError(failure: Failure, cause?: unknown): SafelightError {
  const { resultCode, message } = failure
  if (resultCode === CORRUPT || resultCode === NOT_A_DATABASE) {
    const words = `the database file is damaged or is no database: ${message}`
    return new SafelightError({ code: "storage-corrupt", message: words, cause })
  }
  return new SafelightError({
    code: "storage-unavailable",
    message: `SQLite refused: ${message}`,
    retryable: !isChangeFault(failure),
    cause,
  })
}

export function closed(): SafelightError {
  return new SafelightError({ code: "storage-unavailable", message: "the storage is closed" })
}

export function tooLarge(cause?: unknown): SafelightError {
  const message = "a number of the database, or a sum, is larger than can be told exactly"
  return new SafelightError({ code: "storage-corrupt", message, cause })
}

/** Runs something synchronous on a connection and translates what it throws. */
export function translated<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge(error)
    if (!isSqliteError(error)) throw error
    throw toSafelightError(toFailure(error), error)
  }
}
