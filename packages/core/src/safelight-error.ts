/**
 * The one class that ports throw: the outside failed. A refused command is never one of these, it
 * is a `Rejection` value. Recognised by a registered symbol, so that two copies of this package in
 * one process still understand each other; decide by `code`, never by message.
 */
import type { FailureCode } from "./task/failure.ts"

const MARK = Symbol.for("safelight.error")

export type SafelightErrorCode =
  /** An append lost the race for its expected version; nothing of it was stored. */
  | "version-conflict"
  /** A task with this id exists already. */
  | "already-exists"
  /** The database can't be reached or refuses work; nothing is known to be stored. */
  | "storage-unavailable"
  /** A write was sent and neither it nor its look-up was answered: it may be stored. */
  | "outcome-unknown"
  /** The database was written by a newer release than this code can read. */
  | "schema-too-new"
  /** The database, or a row of it, does not say what it must. */
  | "storage-corrupt"
  /** Another process serves the same data. */
  | "already-served"
  /** The data was sealed for a move, or is not wholly here yet. */
  | "in-transfer"
  /** An export is cut, altered, of a newer release, or holds what may not be taken in. */
  | "export-refused"
  /** Artifact bytes can't be read or written for now. */
  | "artifacts-unavailable"
  /** The artifact's bytes are gone for good. */
  | "artifact-missing"
  /** A channel can't be reached. */
  | "channel-unavailable"
  /** A channel answered what means nothing: what it did is unknown. */
  | "channel-answer-invalid"
  /** Media can't be inspected for now: no process that measures them can be started. */
  | "inspector-unavailable"
  /** The engine is stopping or its queue is full. */
  | "overloaded"
  /** A setting is wrong; the message names it. */
  | "invalid-configuration"
  /** The work was called off by the caller's signal. */
  | "aborted"
  | FailureCode

export interface SafelightErrorOptions {
  readonly code: SafelightErrorCode
  readonly message: string
  /** Whether the same call may succeed later without anybody mending anything. */
  readonly retryable?: boolean
  readonly retryAfterMs?: number
  /** Whether surely nothing of what was asked for was done; false by default: it may have been. */
  readonly isUndone?: boolean
  readonly cause?: unknown
}

export class SafelightError extends Error {
  override readonly name = "SafelightError"
  readonly code: SafelightErrorCode
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  readonly isUndone: boolean

  constructor(options: SafelightErrorOptions) {
    super(options.message, { cause: options.cause })
    this.code = options.code
    this.retryable = options.retryable ?? false
    this.retryAfterMs = options.retryAfterMs
    this.isUndone = options.isUndone ?? false
    Object.defineProperty(this, MARK, { value: true })
  }
}

export function isSafelightError(error: unknown): error is SafelightError {
  return typeof error === "object" && error !== null && MARK in error
}
