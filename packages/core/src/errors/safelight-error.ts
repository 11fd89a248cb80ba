/**
 * The one class that ports throw: the outside failed. A refused command is never one of these, it
 * is a `Rejection` value. Recognised by a registered symbol, so that two copies of this package in
 * one process still understand each other; decide by `code`, never by message.
 */
import type { FailureCode } from "../task/failure.ts"

const MARK = Symbol.for("safelight.error")

export type SafelightErrorCode =
  /** The newest event of the task is not the expected one; nothing of the append was stored. */
  | "version-conflict"
  /** A task with this id exists already. */
  | "already-exists"
  /** The database can't be reached or refuses work; nothing is known to be stored. */
  | "storage-unavailable"
  /** A write was sent, and neither it nor the question about it was answered: it may be stored. */
  | "outcome-unknown"
  /** The database was written by a newer release than this code can read. */
  | "schema-too-new"
  /** The database is damaged, or holds what this code can't read. */
  | "storage-corrupt"
  /** Another process serves the same data. */
  | "already-served"
  /** The data was sealed for a transfer, or its import is not complete. */
  | "in-transfer"
  /** An export is cut, altered, of a newer release, or holds what may not be imported. */
  | "export-refused"
  /** Artifact bytes can't be read or written for now. */
  | "artifacts-unavailable"
  /** The artifact's bytes are gone for good. */
  | "artifact-missing"
  /** A channel can't be reached. */
  | "channel-unavailable"
  /** A channel's answer has no meaning: what the channel did is unknown. */
  | "channel-answer-invalid"
  /** Media can't be inspected for now: no process to measure them can be started. */
  | "inspector-unavailable"
  /** The engine is stopping, or too much of a kind waits already; nothing was done. */
  | "overloaded"
  /** A setting is wrong; the message names it. */
  | "invalid-configuration"
  /** The work was called off by the caller's signal. */
  | "aborted"
  | FailureCode

export interface SafelightErrorOptions {
  readonly code: SafelightErrorCode
  readonly message: string
  /** Whether the same call may succeed later without anybody repairing anything. */
  readonly retryable?: boolean
  readonly retryAfterMs?: number
  /** Whether surely nothing of what was asked for was done; false by default: it may have been. */
  readonly isUndone?: boolean
  /** Of a download: the host of the URL, or of one that it led to, if the request did not allow it. */
  readonly refusedHost?: string
  readonly cause?: unknown
}

export class SafelightError extends Error {
  override readonly name = "SafelightError"
  readonly code: SafelightErrorCode
  readonly retryable: boolean
  readonly retryAfterMs: number | undefined
  readonly isUndone: boolean
  readonly refusedHost: string | undefined

  constructor(options: SafelightErrorOptions) {
    super(options.message, { cause: options.cause })
    this.code = options.code
    this.retryable = options.retryable ?? false
    this.retryAfterMs = options.retryAfterMs
    this.isUndone = options.isUndone ?? false
    this.refusedHost = options.refusedHost
    Object.defineProperty(this, MARK, { value: true })
  }
}

export function isSafelightError(error: unknown): error is SafelightError {
  return typeof error === "object" && error !== null && MARK in error
}
