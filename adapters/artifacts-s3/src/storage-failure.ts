/**
 * The errors of this adapter. None has a cause, and none holds more of an answer than its status and code: an
 * error of a socket or parser can hold raw bytes, and an error document can hold what we signed. Every refusal
 * is retryable: once a key or a policy is corrected the artifacts are back, and a paid result must not be given
 * up before.
 */
import { isSafelightError, SafelightError } from "@safelight/core"

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

/** The part of a client's error that is used. */
export interface Refusal {
  /** Undefined if there was no answer. */
  readonly status: number | undefined
  /** The code of the error document or of the socket, or the client's name for the failure. */
  readonly code: string
}

/** No other code of an error document is ever repeated. S3 has one code that is not letters alone. */
const CODE_PATTERN = /^(?:[A-Za-z]{1,64}|XAmzContentSHA256Mismatch)$/

export function toRefusal(error: unknown): Refusal {
  const { name, code, $metadata } = error as {
    readonly name?: unknown
    readonly code?: unknown
    readonly $metadata?: { readonly httpStatusCode?: number }
  }
  const status = $metadata?.httpStatusCode
  const isSocket = status === undefined && typeof code === "string"
  return { status, code: isSocket ? code : String(name) }
}

/** The refusal in words that hold no secret. */
export function describeRefusal({ status, code }: Refusal): string {
  const isKnown = CODE_PATTERN.test(code)
  if (status !== undefined) {
    // The client's name for a document without a code.
    const words = code === "Unknown" || code === "UnknownError" ? "" : ` ${code}`
    return `was answered ${status}${isKnown ? words : " of no known form"}`
  }
  if (code === "CredentialsProviderError") {
    return "found no credentials: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor a role gives any"
  }
  if (code === "TimeoutError") return "had no answer in time"
  return /^[A-Z][A-Za-z0-9_]{1,64}$/.test(code) ? `failed (${code})` : "failed"
}

/** A bug of ours stays as it is, and so does a SafelightError. */
export function toUnavailable(operation: string, error: unknown): unknown {
  const refusal = toRefusal(error)
  const isOurs = error instanceof TypeError && refusal.status === undefined
  if (isSafelightError(error) || isOurs) return error
  return createUnavailable(`${operation} ${describeRefusal(refusal)}`)
}
