/**
 * Every way in which media cannot be had. A fault carries no cause: the errors of sockets, resolvers
 * and parsers hold host names and addresses, which belong to whoever sent the URL; their code, which
 * does not, is in the message.
 */
import { errors } from "undici"
import { isSafelightError, SafelightError } from "@safelight/core"

export function downloadFailed(reason: string, retryable = false): SafelightError {
  return new SafelightError({
    code: "media_download_failed",
    message: `The media could not be downloaded: ${reason}.`,
    retryable,
  })
}

export function tooLarge(maxBytes: number): SafelightError {
  return new SafelightError({
    code: "media_too_large",
    message: `The media is larger than ${maxBytes} bytes.`,
  })
}

export function unsupportedType(kinds: readonly string[]): SafelightError {
  return new SafelightError({
    code: "unsupported_media_type",
    message: `The media is of no supported ${kinds.join(" or ")} type.`,
  })
}

export function calledOff(): SafelightError {
  return new SafelightError({ code: "aborted", message: "The download was called off." })
}

/** What may go away by itself; a bad certificate or a malformed answer does not. */
const RETRYABLE_CODES = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
  "UND_ERR_BODY_TIMEOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_SOCKET",
])

/** Translates what a socket, a parser or a stream threw; a fault of our own code stays what it is. */
export function toMediaFault(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (isSafelightError(error)) return error
  if (error instanceof errors.HTTPParserError) return downloadFailed("the answer is not HTTP")
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (typeof code !== "string" || error instanceof TypeError || code === "UND_ERR_INVALID_ARG") {
    return error
  }
  return downloadFailed(`the connection failed (${code})`, RETRYABLE_CODES.has(code))
}
