/**
 * Asks for an object, whole or from a byte on, and believes no answer: a bucket that ignores the
 * range, sends another one or leaves out how long it is would hand out the wrong bytes.
 */
import type { AnswerBody } from "./answer-body.ts"
import { toRefusal, type Bucket, type BucketAnswer } from "./bucket.ts"
import { createMissing, createUnavailable } from "./storage-failure.ts"

export interface ObjectRange {
  readonly key: string
  /** First byte, from 0. */
  readonly start: number
  /** Last byte, inclusive; all the rest where it is absent. */
  readonly end?: number
  /** Of the object that it has to be still. */
  readonly etag?: string
  readonly signal: AbortSignal
}

export interface OpenRange {
  readonly totalBytes: number
  readonly etag: string | undefined
  /** Exactly the bytes of the range that there are; to be closed. Absent where there are none. */
  readonly body?: AnswerBody
}

const CONTENT_RANGE = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/

/** Rejects with `artifact-missing`, or `artifacts-unavailable`. */
export async function openRange(bucket: Bucket, range: ObjectRange): Promise<OpenRange> {
  const { key, start, end, etag, signal } = range
  const isWhole = start === 0 && end === undefined
  const headers: Record<string, string> = { "accept-encoding": "identity" }
  if (!isWhole) headers["range"] = `bytes=${start}-${end ?? ""}`
  if (etag !== undefined) headers["if-match"] = etag
  const operation = "reading an object"
  const isStreamed = true
  const answer = await bucket.ask({ operation, method: "GET", key, headers, signal, isStreamed })
  if (answer.body === undefined) return refuse(bucket, range, answer)
  try {
    const totalBytes = isWhole ? toWholeBytes(answer) : toTotalBytes(answer, start, end)
    return { totalBytes, etag: answer.headers.etag, body: answer.body }
  } catch (error) {
    answer.body.close()
    throw error
  }
}

async function refuse(
  bucket: Bucket,
  range: ObjectRange,
  answer: BucketAnswer,
): Promise<OpenRange> {
  if (answer.code === "NoSuchKey") throw createMissing()
  if (answer.status === 412) throw createUnavailable("the artifact was changed while it was read")
  if (answer.status !== 416) throw toRefusal(answer)
  // Past the last byte, it says: then it has to say how many there are.
  const { key, signal } = range
  const whole = await openRange(bucket, { key, start: 0, signal })
  whole.body?.close()
  if (whole.totalBytes > range.start) throw createUnavailable("it refused a range that it has")
  return { totalBytes: whole.totalBytes, etag: whole.etag }
}

function toWholeBytes(answer: BucketAnswer): number {
  const { status, headers } = answer
  const length = headers["content-length"] ?? ""
  if (status !== 200 || !/^\d{1,15}$/.test(length)) {
    throw createUnavailable("it did not say how long an object is")
  }
  assertPlain(answer)
  return Number(length)
}

function toTotalBytes(answer: BucketAnswer, start: number, end: number | undefined): number {
  const { status, headers } = answer
  if (status !== 206) throw createUnavailable("it ignored the range that was asked for")
  const numbers = CONTENT_RANGE.exec(headers["content-range"] ?? "")
    ?.slice(1)
    .map(Number)
  const [first, last, totalBytes] = numbers ?? []
  const isRange =
    totalBytes !== undefined &&
    Number.isSafeInteger(totalBytes) &&
    first === start &&
    last === Math.min(end ?? Infinity, totalBytes - 1) &&
    headers["content-length"] === String(last - first + 1)
  if (!isRange) throw createUnavailable("it sent another range than was asked for")
  assertPlain(answer)
  return totalBytes
}

/** Coded bytes would be other ones, and of another length. */
function assertPlain({ headers }: BucketAnswer): void {
  const coding = headers["content-encoding"] ?? "identity"
  if (coding !== "identity") throw createUnavailable("it coded the bytes of an object")
}
