/** Requests an object, whole or in part. Unread bytes stay in the socket and slow the bucket down. */
import { GetObjectCommand } from "@aws-sdk/client-s3"
import {
  createChunkReader,
  createMissing,
  toRangeHeader,
  toTotalBytes,
  type ObjectRange,
  type ObjectReader,
} from "@safelight/artifacts"
import type { Bucket } from "./bucket.ts"
import { BUCKET_NAME, createBucketError, toRefusal } from "./refusals.ts"

/** Rejects with `artifact-missing`, with `artifacts-unavailable`, and with `aborted` if the signal aborts. */
export async function openObject(
  bucket: Bucket,
  range: ObjectRange,
): Promise<ObjectReader | "past-end"> {
  const { key, tag, signal } = range
  const input = { ...bucket.at(key), Range: toRangeHeader(range), IfMatch: tag }
  const answer = await bucket.ask("reading an object", new GetObjectCommand(input), {
    signal,
    refused({ code, status }) {
      if (code === "NoSuchKey") throw createMissing()
      if (status === 412) throw createBucketError("the artifact was changed while it was read")
      return status === 416 ? "past-end" : undefined
    },
  })
  if (answer === "past-end") return answer
  const stream = answer.Body as unknown as BodyStream
  // A failure between two reads is reported by the next one.
  stream.on("error", ignore)
  try {
    const totalBytes = toTotalBytes(
      BUCKET_NAME,
      {
        status: answer.$metadata.httpStatusCode,
        contentLength: answer.ContentLength,
        contentRange: answer.ContentRange,
        contentEncoding: answer.ContentEncoding,
      },
      range,
    )
    const { ETag } = answer
    return { totalBytes, ...(ETag !== undefined && { tag: ETag }), ...createBodyReader(stream) }
  } catch (error) {
    stream.destroy()
    throw error
  }
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

function ignore(): void {}
