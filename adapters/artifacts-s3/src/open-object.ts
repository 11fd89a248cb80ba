/**
 * Requests an object, whole or in part, and checks the answer: a bucket that ignores the range, sends another one
 * or leaves out the length would give the wrong bytes.
 */
import { GetObjectCommand, type GetObjectCommandOutput } from "@aws-sdk/client-s3"
import {
  createChunkReader,
  createMissing,
  type ObjectRange,
  type ObjectReader,
  type Refusal,
} from "@safelight/artifacts"
import { createBucketError } from "./bucket-error.ts"
import type { Bucket } from "./bucket.ts"
import { toRefusal } from "./refusals.ts"

const CONTENT_RANGE = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/

/** Rejects with `artifact-missing`, with `artifacts-unavailable`, and with `aborted` if the signal aborts. */
export async function openObject(bucket: Bucket, range: ObjectRange): Promise<ObjectReader> {
  const { key, start, end, tag, signal } = range
  const isWhole = start === 0 && end === undefined
  const Range = isWhole ? undefined : `bytes=${start}-${end ?? ""}`
  const command = new GetObjectCommand({ ...bucket.at(key), Range, IfMatch: tag })
  const answer = await bucket.ask("reading an object", command, {
    signal,
    refused: (refusal) => toEmptyRange(bucket, range, refusal),
  })
  if ("totalBytes" in answer) return answer
  const stream = answer.Body as unknown as BodyStream
  // A failure between two reads is reported by the next one.
  stream.on("error", ignore)
  try {
    const totalBytes = isWhole ? toWholeBytes(answer) : toTotalBytes(answer, start, end)
    return { totalBytes, ...toTag(answer.ETag), ...createBodyReader(stream) }
  } catch (error) {
    stream.destroy()
    throw error
  }
}

function toTag(tag: string | undefined): { readonly tag?: string } {
  return tag === undefined ? {} : { tag }
}

/** The part of Node's stream that is used. */
interface BodyStream extends AsyncIterable<Uint8Array> {
  /** Whether every byte has arrived. */
  readonly complete?: boolean
  on(event: "error", listener: () => void): unknown
  destroy(): unknown
}

/** The client's time-out also ends the connection of a reader that pauses, which is then opened again. */
function createBodyReader(stream: BodyStream): Pick<ObjectReader, "close" | "read"> {
  const reader = createChunkReader(stream, async (rest) => {
    // If all of it has arrived, the rest is in memory; once it is read, the connection serves another request.
    if (stream.complete !== true) stream.destroy()
    else while ((await rest.next()).done !== true);
  })
  return {
    ...reader,
    read: (into) =>
      reader.read(into).catch((error: unknown) => {
        const refusal = toRefusal(error)
        throw refusal === undefined
          ? error
          : createBucketError(`reading an object ${refusal.words}`)
      }),
  }
}

async function toEmptyRange(
  bucket: Bucket,
  { key, start, signal }: ObjectRange,
  { status, code }: Refusal,
): Promise<ObjectReader | undefined> {
  if (code === "NoSuchKey") throw createMissing()
  if (status === 412) throw createBucketError("the artifact was changed while it was read")
  if (status !== 416) return undefined
  // The bucket says that the range is past the last byte: so it has to say how many bytes there are.
  const whole = await openObject(bucket, { key, start: 0, ...(signal && { signal }) })
  await whole.close()
  if (whole.totalBytes > start) throw createBucketError("it refused a range that it has")
  return whole
}

function toWholeBytes(answer: GetObjectCommandOutput): number {
  const { $metadata, ContentLength } = answer
  if ($metadata.httpStatusCode !== 200 || !Number.isSafeInteger(ContentLength)) {
    throw createBucketError("it did not say how long an object is")
  }
  assertPlain(answer)
  return Number(ContentLength)
}

function toTotalBytes(answer: GetObjectCommandOutput, start: number, end?: number): number {
  const { $metadata, ContentLength, ContentRange = "" } = answer
  if ($metadata.httpStatusCode !== 206) {
    throw createBucketError("it ignored the range that was asked for")
  }
  const numbers = CONTENT_RANGE.exec(ContentRange)?.slice(1).map(Number)
  const [first, last, totalBytes] = numbers ?? []
  const isRange =
    totalBytes !== undefined &&
    Number.isSafeInteger(totalBytes) &&
    first === start &&
    last === Math.min(end ?? Infinity, totalBytes - 1) &&
    ContentLength === last - first + 1
  if (!isRange) throw createBucketError("it sent another range than was asked for")
  assertPlain(answer)
  return totalBytes
}

/** With a content coding the bytes and their number would be others. */
function assertPlain({ ContentEncoding = "identity" }: GetObjectCommandOutput): void {
  if (ContentEncoding !== "identity") throw createBucketError("it coded the bytes of an object")
}

function ignore(): void {}
