/**
 * PostgreSQL's SQLSTATEs, and the errors of a connection, as the store's faults. https://www.postgresql.org/docs/18/errcodes-appendix.html
 */
import { isSafelightError, SafelightError } from "@safelight/core"
import { DatabaseError, toFault, toSafelightError, type Fault } from "@safelight/store"

/** The first that matches; anything else is `refused`. */
const FAULTS: readonly (readonly [RegExp, Fault])[] = [
  // Data exception, integrity constraint violation, cardinality, too large for an index, a trigger's
  // refusal, a damaged page or row.
  [/^(2[23]|21|54|P0|XX)/, "change"],
  // A lock that is not available, a query that a time-out cancelled.
  [/^(55P03|57014)$/, "held"],
  // The same of a statement that the session has lost, or of which it has another: a pooler was changed.
  [/^(0A000|26000|42P05)$/, "outdated"],
  [/^40/, "passing"],
  // A connection exception; the server ends the session.
  [/^(08|57P)/, "lost"],
  // A standby, or a session that began while the server was read-only.
  [/^25006$/, "read-only"],
]
/**
 * PgBouncer refuses so a parameter of the connection that it does not know, and a transaction where it pools
 * statements; and other things.
 */
export const PROTOCOL_VIOLATION = "08P01"

/** 28 wrong password or role, 3D000 no such database. */
const MISCONFIGURED = /^(28|3D000)/

/** An error of a query. The server's own words are passed on, the detail is not: it may hold a row's values. */
export function toDatabaseError(error: unknown): unknown {
  if (isSafelightError(error) || error instanceof DatabaseError) return error
  const state = readState(error)
  // Without a state it is not the server's.
  const fault =
    state === undefined
      ? toFault(error)
      : (FAULTS.find(([states]) => states.test(state))?.[1] ?? "refused")
  return new DatabaseError({ fault, message: `PostgreSQL: ${toWords(error)}`, cause: error })
}

/**
 * An error of opening a connection: nothing was sent, whatever its state says, so it is never the fault of
 * what waits. Poolers refuse with states of any class, XX000 among them.
 */
export function toUnopened(cause: unknown): DatabaseError {
  if (cause instanceof DatabaseError && cause.fault === "unopened") return cause
  const message = cause instanceof DatabaseError ? cause.message : `PostgreSQL: ${toWords(cause)}`
  return new DatabaseError({ fault: "unopened", message, cause })
}

/**
 * What refused a connection, as the port's error while a storage is opened. Later a password that is
 * refused is an outage like others: the one that is configured was right before, and may be again.
 */
export function toOpeningError(error: unknown): SafelightError {
  const invalid = findMisconfigured(error)
  if (invalid !== undefined) return invalid
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!MISCONFIGURED.test(readState(cause) ?? "")) continue
    const { message } = toUnopened(error)
    return new SafelightError({ code: "invalid-configuration", message, cause })
  }
  return toSafelightError(toDatabaseError(error))
}

/** The first among an error and its causes that is this process's own `invalid-configuration`. */
export function findMisconfigured(error: unknown): SafelightError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (isSafelightError(cause) && cause.code === "invalid-configuration") return cause
  }
  return undefined
}

/** The SQLSTATE; undefined for an error that is not the server's. */
export function readState(thrown: unknown): string | undefined {
  const error = thrown instanceof DatabaseError ? thrown.cause : thrown
  if (!(error instanceof Error) || !("code" in error) || !("severity" in error)) return undefined
  return typeof error.code === "string" ? error.code : undefined
}

/** Where a name has several addresses and none answers, the error of them all has a code and no words. */
function toWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code = error.name } = error as NodeJS.ErrnoException
  return error.message || code
}
