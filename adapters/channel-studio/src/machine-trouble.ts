/**
 * Errors that are the machine's: its disk is full, or it can start nothing more. They say nothing of a
 * request, which may well be carried out later, or on another machine.
 */
import { SafelightError } from "@safelight/core"

const CODES: ReadonlySet<string> = new Set([
  "EAGAIN",
  "EDQUOT",
  "EIO",
  "EMFILE",
  "ENFILE",
  "ENOMEM",
  "ENOSPC",
  "EROFS",
])

/** Only errors of system calls count: a library may give its own errors the same codes. */
export function isMachineTrouble(error: unknown): error is Error {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return false
  return typeof error.code === "string" && CODES.has(error.code)
}

/** Retryable: the machine may do it later. */
export function createUnavailable(message: string, cause?: unknown): SafelightError {
  return new SafelightError({ code: "channel-unavailable", message, retryable: true, cause })
}
