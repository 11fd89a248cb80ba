/** SQLite's failures as the errors of core, translated once. */
import { SafelightError } from "@safelight/core"
import { isChangeFault, isSqliteError, toFailure, type Failure } from "./failure.ts"

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

/** Runs something synchronous on a connection and translates what it throws. */
export function translated<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (!isSqliteError(error)) throw error
    throw toSafelightError(toFailure(error), error)
  }
}
