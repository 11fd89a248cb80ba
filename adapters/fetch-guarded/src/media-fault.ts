/**
 * The errors of a download. None has a cause: errors of sockets, resolvers and parsers hold host names and
 * addresses, which are private to the sender of the URL. Only their code is in the message.
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

/** Whoever named the hosts of the request learns which one they lack, and no reader of the message does. */
export function hostRefused(host: string): SafelightError {
  return new SafelightError({
    code: "media_download_failed",
    message: "The media could not be downloaded: its host is not allowed.",
    refusedHost: host,
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

/**
 * Codes of faults that may pass; a bad certificate or a malformed answer does not. A body that ends before
 * its declared length has one of two codes, depending on whether its connection was to be kept.
 */
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
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_SOCKET",
])

/** Translates the error of a socket, a parser or a stream; a mistake of our own code stays as it is. */
export function toMediaFault(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason
  if (isSafelightError(error)) return error
  if (error instanceof errors.HTTPParserError) {
    return isCutOff(error)
      ? downloadFailed("its server hung up in the middle of the body", true)
      : downloadFailed("the answer is not HTTP")
  }
  const code = error instanceof Error && "code" in error ? error.code : undefined
  if (typeof code !== "string" || error instanceof TypeError || code === "UND_ERR_INVALID_ARG") {
    return error
  }
  return downloadFailed(`the connection failed (${code})`, RETRYABLE_CODES.has(code))
}

/**
 * Whether a chunked body ended before its last chunk, on a connection that was to be closed: the parser then
 * fails at the end, with no text left, and sets no code, although its type says so.
 */
function isCutOff(error: Error): boolean {
  return "data" in error && error.data === ""
}
