/**
 * The error that drivers reject with: the database's own error, translated once where it is caught. Code
 * decides by its `fault` alone and never by its message.
 */
import { isSafelightError, SafelightError } from "@safelight/core"

export type Fault =
  /** What was sent can't be stored: a constraint, a value of the wrong kind. */
  | "change"
  /** Nothing was stored; the very same may succeed at once: a deadlock, say. */
  | "passing"
  /** The same: another transaction held a row for too long. */
  | "held"
  /** The same: the connection's prepared statement is older than a column that it names. */
  | "outdated"
  /** The connection ended after something was sent: whether anything was stored is unknown. */
  | "lost"
  /** No connection could be opened: nothing was sent. */
  | "unopened"
  /** The database refuses work: full, a missing table or right. */
  | "refused"
  /** The same, by this connection alone: another one may be able to write. */
  | "read-only"

export interface DatabaseErrorOptions {
  readonly fault: Fault
  readonly message: string
  readonly cause?: unknown
  /** `storage-unavailable` by default. */
  readonly code?: "storage-unavailable" | "storage-corrupt"
}

export class DatabaseError extends Error {
  override readonly name = "DatabaseError"
  readonly fault: Fault
  readonly code: "storage-unavailable" | "storage-corrupt"

  constructor({ fault, message, cause, code = "storage-unavailable" }: DatabaseErrorOptions) {
    super(message, { cause })
    this.fault = fault
    this.code = code
  }
}

export function toFault(error: unknown): Fault {
  if (error instanceof DatabaseError) return error.fault
  // Our own: a value was read that can't be represented, over a working connection.
  if (isSafelightError(error)) return "refused"
  return isOwn(error) ? "change" : "lost"
}

/** Whether this process failed before a byte was sent: what was handed in makes no statement. */
function isOwn(error: unknown): boolean {
  if (error instanceof RangeError || error instanceof TypeError) return true
  return error instanceof Error && "code" in error && error.code === "ERR_ASSERTION"
}

/** Whether the database undid the statement, and may accept the same one a moment later. */
export function isPassing(error: unknown): boolean {
  return ["passing", "held", "outdated"].includes(toFault(error))
}

/** Whether the database could not be reached, or no longer. */
export function isUnreached(error: unknown): boolean {
  return ["lost", "unopened"].includes(toFault(error))
}

/** The error of the port. */
export function toSafelightError(error: unknown): SafelightError {
  if (error instanceof SafelightError) return error
  const code = error instanceof DatabaseError ? error.code : "storage-unavailable"
  const message = error instanceof Error ? error.message : String(error)
  return new SafelightError({ code, message, retryable: toFault(error) !== "change", cause: error })
}

/** The same if it is known that nothing was done: nothing was sent, or the database undid it. */
export function toUndone(error: unknown): SafelightError {
  const { code, message, retryable } = toSafelightError(error)
  return new SafelightError({ code, message, retryable, isUndone: true, cause: error })
}

export function closed(): SafelightError {
  const message = "the storage is closed"
  return new SafelightError({ code: "storage-unavailable", message, isUndone: true })
}

/** Too many requests wait already. */
export function overloaded(message: string): SafelightError {
  const again = { retryable: true, retryAfterMs: 1_000, isUndone: true }
  return new SafelightError({ code: "overloaded", message, ...again })
}
