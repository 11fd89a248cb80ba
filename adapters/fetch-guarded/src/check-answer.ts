/**
 * Checks the answer that ends all redirects: it has to be the whole file or, if a body is resumed, exactly
 * its rest. After that only the body's bytes are counted. Throws `media_download_failed` or `media_too_large`.
 */
import { downloadFailed, tooLarge } from "./media-fault.ts"
import { isRest, type Rest } from "./rest-of-body.ts"
import type { Answer } from "./send-request.ts"

type Head = Pick<Answer, "status" | "headers">

export function checkWhole({ status, headers }: Head, maxBytes: number): void {
  checkStatus(status, 200)
  checkUncoded(headers)
  if (Number(headers["content-length"] ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

export function checkRest({ status, headers }: Head, rest: Rest): void {
  checkStatus(status, 206)
  checkUncoded(headers)
  if (!isRest(headers, rest)) throw downloadFailed("its server sends another part of it")
}

function checkStatus(status: number, expected: number): void {
  if (status === expected) return
  const isRetryable = status === 408 || status === 429 || status >= 500
  throw downloadFailed(`its server answers ${status}`, isRetryable)
}

function checkUncoded(headers: Head["headers"]): void {
  const coding = headers["content-encoding"] ?? "identity"
  const transferCoding = headers["transfer-encoding"] ?? "chunked"
  if (!isWord(coding, "identity") || !isWord(transferCoding, "chunked")) {
    throw downloadFailed("its server sends it coded")
  }
}

function isWord(header: string | readonly string[], word: string): boolean {
  return typeof header === "string" && header.trim().toLowerCase() === word
}
