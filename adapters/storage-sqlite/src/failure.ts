/**
 * SQLite's errors as plain data. A fault of one change (a constraint, a value of the wrong kind) rejects that
 * change alone; any other error is the database's. The writing thread uses this file, so it imports nothing.
 */

/** The database's file, or its log, was removed while in use, or can't be examined; SQLite does not notice. */
export const FILE_GONE = -1

/** An error as it crosses from the writing thread: error objects do not survive the copy. */
export interface Failure {
  /** SQLite's primary result code, or `FILE_GONE`; 0 where the error is neither. */
  readonly resultCode: number
  readonly message: string
}

// https://www.sqlite.org/rescode.html
const BUSY = 5
const CORRUPT = 11
const TOO_BIG = 18
const CONSTRAINT = 19
const MISMATCH = 20
const RANGE = 25

const FULL = 13
const IOERR_WRITE = 10 | (3 << 8)

const CHANGE_FAULTS: readonly number[] = [0, TOO_BIG, CONSTRAINT, MISMATCH, RANGE]

export function toFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error)
  // An extended code holds the primary one in its lowest byte.
  return { resultCode: readErrorCode(error) & 0xff, message }
}

/** Whether the change itself is at fault, so that others may still be stored. */
export function isChangeFault({ resultCode }: Failure): boolean {
  return CHANGE_FAULTS.includes(resultCode)
}

/** Whether a commit failed as it wrote, before its last frame, which alone makes the others count. */
export function isCutShort(error: unknown): boolean {
  return [FULL, IOERR_WRITE].includes(readErrorCode(error))
}

/**
 * Reads, and reads again if SQLite finds the database damaged: it says the same if the disk failed to return
 * a page once.
 */
export function readTwice<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (toFailure(error).resultCode !== CORRUPT) throw error
    return read()
  }
}

/** Whether another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return toFailure(error).resultCode === BUSY
}

export function isSqliteError(error: unknown): error is Error & { readonly errcode: number } {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number"
}

/** Whether `node:sqlite` refused to read an integer that a number can't hold. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && "code" in error && error.code === "ERR_OUT_OF_RANGE"
}

function readErrorCode(error: unknown): number {
  return isSqliteError(error) ? error.errcode : 0
}
