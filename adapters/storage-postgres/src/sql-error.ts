/**
 * What PostgreSQL's errors, and those of a connection, mean for what was asked. The codes are
 * SQLSTATEs: https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
import { isSafelightError, SafelightError } from "@safelight/core"

export type SqlFault =
  /** What was sent can't be stored: a constraint, a value of the wrong kind. */
  | "change"
  /** Nothing was stored; the very same may succeed at once: a deadlock, a lock held for long. */
  | "passing"
  /** The connection ended: whether anything was stored is unknown. */
  | "lost"
  /** The server refuses work: full, read-only, a missing table or right. */
  | "refused"

/**
 * 22 data exception, 23 integrity constraint violation, 21 cardinality, 54 too large for an index, P0
 * a trigger's refusal, XX a damaged page or row.
 */
const CHANGE = /^(2[23]|21|54|P0|XX)/
/** 0A000 an outdated statement, 40 transaction rollback, 55P03 lock not available, 57014 query cancelled (by a time-out). */
const PASSING = /^(0A000|40|55P03|57014)/
/** 08 connection exception, 57P01–57P05 the server ends the session. */
const LOST = /^(08|57P)/
/** 28 wrong password or role, 3D000 no such database. */
const MISCONFIGURED = /^(28|3D000)/
/** 53300 too many connections, and a server that starts or stops. */
const BUSY = /^(53|57P03)/

export function toFault(error: unknown): SqlFault {
  // Ours: what was read can't be told, on a connection that is well.
  if (isSafelightError(error)) return "refused"
  const code = readState(error)
  if (code === undefined) return isOwn(error) ? "change" : "lost"
  if (CHANGE.test(code)) return "change"
  if (PASSING.test(code)) return "passing"
  return LOST.test(code) ? "lost" : "refused"
}

/** Whether this process failed before a byte was sent: what was handed in makes no statement. */
function isOwn(error: unknown): boolean {
  if (error instanceof RangeError || error instanceof TypeError) return true
  return error instanceof Error && "code" in error && error.code === "ERR_ASSERTION"
}

/** Whether a prepared statement is older than a column it names: the next connection knows it. */
export function isOutdated(error: unknown): boolean {
  return readState(error) === "0A000"
}

/** Whether the session can't write: a standby, or one that began while the server was read-only. */
export function isReadOnly(error: unknown): boolean {
  return readState(error) === "25006"
}

/** Whether somebody else held a row for too long. */
export function isHeldUp(error: unknown): boolean {
  return /^(55P03|57014)$/.test(readState(error) ?? "")
}

/** The SQLSTATE; undefined for an error that is not the server's. */
export function readState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("severity" in error)) return undefined
  return typeof error.code === "string" ? error.code : undefined
}

/**
 * The error of the port. The server's own words are passed on, the detail is not: it may hold a
 * row's values.
 */
export function toSafelightError(error: unknown): SafelightError {
  if (error instanceof SafelightError) return error
  const message = `PostgreSQL: ${toWords(error)}`
  const retryable = toFault(error) !== "change" || BUSY.test(readState(error) ?? "")
  return new SafelightError({ code: "storage-unavailable", message, retryable, cause: error })
}

/** The same where it is known that nothing was done: nothing was sent, or the server took it back. */
export function toUndone(error: unknown): SafelightError {
  const { code, message, retryable } = toSafelightError(error)
  return new SafelightError({ code, message, retryable, isUndone: true, cause: error })
}

/**
 * An error of opening a connection, which counts as `lost` whatever its state says: nothing was sent,
 * so it is never the fault of what waits. Poolers refuse with states of any class, XX000 among them.
 */
export function toUnopened(error: unknown): Error {
  return new Error(toWords(error), { cause: error })
}

/**
 * What refused a connection, as the port's error while a storage is opened. Later a password that is
 * refused is an outage like others: the one that is configured was right before, and may be again.
 */
export function toOpeningError(error: unknown): SafelightError {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isSafelightError(cause) && cause.code === "invalid-configuration") return cause
    if (!MISCONFIGURED.test(readState(cause) ?? "")) continue
    const message = `PostgreSQL: ${toWords(cause)}`
    return new SafelightError({ code: "invalid-configuration", message, cause })
  }
  return toSafelightError(error)
}

/** Where a name has several addresses and none answers, the error of them all has a code and no words. */
function toWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code = error.name } = error as NodeJS.ErrnoException
  return error.message || code
}

/** A new task was sent, and the answer was lost. */
export function unknownOutcome(cause?: unknown): SafelightError {
  const message = "the database did not say whether the task was stored"
  return new SafelightError({ code: "outcome-unknown", message, cause })
}
