/**
 * Requests the rest of a body that broke off, and recognises it (RFC 9110 §13.1.5, §14.2, §15.3.7). Two parts
 * make one file only if both are of one version, which only a strong validator proves. A server may ignore
 * `If-Range`, so its answer is compared too.
 */
import type { Answer } from "./send-request.ts"

type Headers = Answer["headers"]

/** A version of a file, of known length. */
export interface Version {
  readonly totalBytes: number
  readonly header: "etag" | "last-modified"
  readonly validator: string
}

export interface Rest {
  readonly version: Version
  readonly startByte: number
}

/** Undefined if the answer does not say enough to be resumed. */
export function findVersion(headers: Headers): Version | undefined {
  const { "content-length": length, "last-modified": modified, etag, date } = headers
  if (typeof length !== "string") return undefined
  const totalBytes = Number(length)
  if (typeof etag === "string" && STRONG_ETAG.test(etag)) {
    return { totalBytes, header: "etag", validator: etag }
  }
  if (typeof modified === "string" && typeof date === "string" && isStrong(modified, date)) {
    return { totalBytes, header: "last-modified", validator: modified }
  }
  return undefined
}

export function toRangeHeaders({ version, startByte }: Rest): Record<string, string> {
  return { range: `bytes=${startByte}-`, "if-range": version.validator }
}

/** The length is required too, so that the client sees whether all of it came. */
export function isRest(headers: Headers, { version, startByte }: Rest): boolean {
  const { totalBytes, header, validator } = version
  return (
    headers["content-range"] === `bytes ${startByte}-${totalBytes - 1}/${totalBytes}` &&
    headers["content-length"] === String(totalBytes - startByte) &&
    (headers[header] ?? validator) === validator
  )
}

/** `W/` before it says that it is weak. */
const STRONG_ETAG = /^"[\x21\x23-\x7e]*"$/

/** A file may change twice in one second: the date is strong only a second later (§8.8.2.2). */
function isStrong(modified: string, date: string): boolean {
  const modifiedAt = new Date(modified)
  return modifiedAt.toUTCString() === modified && Date.parse(date) - modifiedAt.getTime() >= 1_000
}
