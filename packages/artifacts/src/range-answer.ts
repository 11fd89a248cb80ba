/**
 * Checks the answer of a server that was asked over HTTP for an object, whole or in part: one that ignores the
 * range, sends another one, codes the bytes or leaves out the length would give the wrong bytes.
 */
import type { ObjectRange } from "./driver.ts"
import { createUnavailable } from "./failures.ts"

export interface RangeAnswer {
  readonly status: number | undefined
  readonly contentLength: number | undefined
  readonly contentRange: string | undefined
  readonly contentEncoding: string | undefined
}

const CONTENT_RANGE = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/

/** The value of the `Range` header, inclusive; undefined for a whole object. */
export function toRangeHeader({ start, end }: ObjectRange): string | undefined {
  return start === 0 && end === undefined ? undefined : `bytes=${start}-${end ?? ""}`
}

/** The size of the whole object. Throws `artifacts-unavailable`; `name` is the driver's. */
export function toTotalBytes(name: string, answer: RangeAnswer, range: ObjectRange): number {
  const { contentEncoding = "identity" } = answer
  if (contentEncoding !== "identity") {
    throw createUnavailable(name, "it coded the bytes of an object")
  }
  const isWhole = toRangeHeader(range) === undefined
  return isWhole ? toWholeBytes(name, answer) : toBytesOfPart(name, answer, range)
}

function toWholeBytes(name: string, { status, contentLength }: RangeAnswer): number {
  if (status === 200 && contentLength !== undefined && Number.isSafeInteger(contentLength)) {
    return contentLength
  }
  throw createUnavailable(name, "it did not say how long an object is")
}

function toBytesOfPart(name: string, answer: RangeAnswer, { start, end }: ObjectRange): number {
  const { status, contentLength, contentRange = "" } = answer
  if (status !== 206) throw createUnavailable(name, "it ignored the range that was asked for")
  const [first, last, totalBytes] = CONTENT_RANGE.exec(contentRange)?.slice(1).map(Number) ?? []
  const isRange =
    totalBytes !== undefined &&
    Number.isSafeInteger(totalBytes) &&
    first === start &&
    last === Math.min(end ?? Infinity, totalBytes - 1) &&
    contentLength === last - first + 1
  if (!isRange) throw createUnavailable(name, "it sent another range than was asked for")
  return totalBytes
}
