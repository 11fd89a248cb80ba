/**
 * Requests an object, whole or in part, and checks the answer: a bucket that ignores the range, sends another one
 * or leaves out the length would give the wrong bytes.
 */
import { GetObjectCommand, type GetObjectCommandOutput } from "@aws-sdk/client-s3"
import { closeStream, createAnswerBody, type AnswerBody, type BodyStream } from "./answer-body.ts"
import type { Bucket } from "./bucket.ts"
import { createMissing, createUnavailable, type Refusal } from "./storage-failure.ts"

export interface ObjectRange {
  readonly key: string
  /** First byte, from 0. */
  readonly start: number
  /** Last byte, inclusive; all the rest by default. */
  readonly end?: number
  /** The object must still have this ETag. */
  readonly etag?: string
  readonly signal?: AbortSignal
}

export interface OpenRange {
  readonly totalBytes: number
  readonly etag: string | undefined
  /** Exactly the existing bytes of the range; the caller closes it. Absent if there are none. */
  readonly body?: AnswerBody
}

const CONTENT_RANGE = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/

/** Rejects with `artifact-missing`, with `artifacts-unavailable`, and with `aborted` if the signal aborts. */
export async function openRange(bucket: Bucket, range: ObjectRange): Promise<OpenRange> {
  const { key, start, end, etag, signal } = range
  const isWhole = start === 0 && end === undefined
  const input = {
    ...bucket.at(key),
    Range: isWhole ? undefined : `bytes=${start}-${end ?? ""}`,
    IfMatch: etag,
  }
  const answer = await bucket.ask({
    operation: "reading an object",
    signal,
    send: (client, options) => client.send(new GetObjectCommand(input), options),
    refused: (refusal) => toEmptyRange(bucket, range, refusal),
  })
  if ("totalBytes" in answer) return answer
  const stream = answer.Body as unknown as BodyStream
  try {
    const totalBytes = isWhole ? toWholeBytes(answer) : toTotalBytes(answer, start, end)
    return { totalBytes, etag: answer.ETag, body: createAnswerBody(stream) }
  } catch (error) {
    closeStream(stream)
    throw error
  }
}

async function toEmptyRange(
  bucket: Bucket,
  { key, start, signal }: ObjectRange,
  { status, code }: Refusal,
): Promise<OpenRange | undefined> {
  if (code === "NoSuchKey") throw createMissing()
  if (status === 412) throw createUnavailable("the artifact was changed while it was read")
  if (status !== 416) return undefined
  // The bucket says that the range is past the last byte: so it has to say how many bytes there are.
  const whole = await openRange(bucket, { key, start: 0, ...(signal && { signal }) })
  await whole.body?.close()
  if (whole.totalBytes > start) throw createUnavailable("it refused a range that it has")
  return { totalBytes: whole.totalBytes, etag: whole.etag }
}

function toWholeBytes(answer: GetObjectCommandOutput): number {
  const { $metadata, ContentLength } = answer
  if ($metadata.httpStatusCode !== 200 || !Number.isSafeInteger(ContentLength)) {
    throw createUnavailable("it did not say how long an object is")
  }
  assertPlain(answer)
  return Number(ContentLength)
}

function toTotalBytes(answer: GetObjectCommandOutput, start: number, end?: number): number {
  const { $metadata, ContentLength, ContentRange = "" } = answer
  if ($metadata.httpStatusCode !== 206) {
    throw createUnavailable("it ignored the range that was asked for")
  }
  const numbers = CONTENT_RANGE.exec(ContentRange)?.slice(1).map(Number)
  const [first, last, totalBytes] = numbers ?? []
  const isRange =
    totalBytes !== undefined &&
    Number.isSafeInteger(totalBytes) &&
    first === start &&
    last === Math.min(end ?? Infinity, totalBytes - 1) &&
    ContentLength === last - first + 1
  if (!isRange) throw createUnavailable("it sent another range than was asked for")
  assertPlain(answer)
  return totalBytes
}

/** With a content coding the bytes and their number would be others. */
function assertPlain({ ContentEncoding = "identity" }: GetObjectCommandOutput): void {
  if (ContentEncoding !== "identity") throw createUnavailable("it coded the bytes of an object")
}
