/**
 * Whether a failed request was certainly never sent, because no connection was made. Node and Bun tell by
 * error codes. In other runtimes the answer is always no: the request may have arrived.
 */
import type { ApiError } from "./api-error.ts"

const NO_CONNECTION = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  // Bun.
  "ConnectionRefused",
  "FailedToOpenSocket",
])

/** The TLS handshake failed: a wrong protocol, or a certificate that is not trusted. */
const NO_TLS = /^(?:ERR_SSL_|ERR_TLS_CERT_|CERT_|UNABLE_TO_|DEPTH_ZERO_SELF_|SELF_SIGNED_)/

interface Failure {
  readonly code?: unknown
  readonly cause?: unknown
  readonly errors?: readonly Failure[]
}

/** `error` is a `no_answer`. */
export function isUnsent({ cause }: ApiError): boolean {
  const thrown = (cause ?? {}) as Failure
  const reason = (thrown.cause ?? thrown) as Failure
  // A name with several addresses fails with one error for each.
  const failures = reason.errors ?? [reason]
  return failures.length > 0 && failures.every(({ code }) => isNoConnection(code))
}

function isNoConnection(code: unknown): boolean {
  return typeof code === "string" && (NO_CONNECTION.has(code) || NO_TLS.test(code))
}
