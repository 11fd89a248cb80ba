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

/**
 * What may go away by itself; a bad certificate or a malformed answer does not. A body that ends before
 * its declared length is one of two codes, by what its server said of the connection.
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

/** Translates what a socket, a parser or a stream threw; a fault of our own code stays what it is. */
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
 * Chunks that end before the last one, on a connection that was to be closed: the parser stumbles over
 * the end itself, with no text left. It sets no code, whatever its type says.
 */
function isCutOff(error: Error): boolean {
  return "data" in error && error.data === ""
}
