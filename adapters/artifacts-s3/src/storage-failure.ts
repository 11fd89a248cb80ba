/**
 * The errors of this adapter. None has a cause, and none says more of an answer than its status and
 * code: an error of a socket or parser can carry raw bytes, an error document what we had signed.
 * Whatever a bucket refuses is retryable, since a rotated key or a mended policy brings everything
 * back, and giving up a paid result for it would not.
 */
import { SafelightError } from "@safelight/core"

export function createUnavailable(reason: string): SafelightError {
  return new SafelightError({
    code: "artifacts-unavailable",
    message: `The bucket failed: ${reason}`,
    retryable: true,
  })
}

export function createMissing(): SafelightError {
  return new SafelightError({ code: "artifact-missing", message: "The locator holds no artifact" })
}

export function createAborted(): SafelightError {
  return new SafelightError({ code: "aborted", message: "Storing the artifact was called off" })
}

export function createMisconfigured(message: string): SafelightError {
  return new SafelightError({ code: "invalid-configuration", message })
}

/**
 * Translates what a socket, TLS or the parser of HTTP threw: those have a code, and are no
 * TypeErrors. Anything else is a mistake of ours and stays as it is.
 */
export function translateFailure(error: Error): Error {
  const code = "code" in error ? error.code : undefined
  if (error instanceof SafelightError || error instanceof TypeError) return error
  return typeof code === "string" ? createUnavailable(`the connection broke (${code})`) : error
}
