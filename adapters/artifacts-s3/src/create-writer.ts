/**
 * Stores an object: by one request if its first piece is its last, otherwise by a multipart upload, whose object
 * appears with its completion.
 */
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
} from "@aws-sdk/client-s3"
import type { ObjectWriter } from "@safelight/artifacts"
import { createBucketError } from "./refusals.ts"
import type { Bucket } from "./bucket.ts"

/** How long the start of an upload may go on after its put has failed. */
const LATE_MS = 10_000

export function createWriter(bucket: Bucket, key: string, signal: AbortSignal): ObjectWriter {
  const object = bucket.at(key)
  const parts: CompletedPart[] = []
  let upload: Promise<string> | undefined

  /** Waits for the answer, which has the id: without it the upload could not be abandoned. */
  async function start(): Promise<string> {
    const command = new CreateMultipartUploadCommand({ ...object, ContentType: TYPE })
    const { UploadId } = await bucket.ask("starting an upload", command, {
      signal: createLateSignal(signal),
    })
    if (UploadId === undefined || UploadId === "") {
      throw createBucketError("it started an upload without an id")
    }
    return UploadId
  }

  async function storePart(Body: Uint8Array, index: number): Promise<string> {
    upload ??= start()
    const UploadId = await upload
    const input = { ...object, UploadId, Body, PartNumber: index + 1 }
    const { ETag } = await bucket.ask("storing a part", new UploadPartCommand(input), { signal })
    if (ETag === undefined) throw createBucketError("storing a body failed: a part has no ETag")
    parts[index] = { ETag, PartNumber: index + 1 }
    return UploadId
  }

  return {
    async write(piece, index) {
      await storePart(piece, index)
    },
    async commit(last, index) {
      if (upload === undefined) {
        const input = { ...object, Body: last, ContentType: TYPE }
        await bucket.ask("storing an object", new PutObjectCommand(input), { signal })
        return
      }
      const UploadId = await storePart(last, index)
      const input = { ...object, UploadId, MultipartUpload: { Parts: parts } }
      await bucket.ask("completing an upload", new CompleteMultipartUploadCommand(input), {
        signal,
        // An earlier try completed the upload and its answer was lost. The object is measured next.
        refused: ({ code }) => (code === "NoSuchUpload" ? "completed" : undefined),
      })
    },
    async abandon(tidying) {
      const UploadId = await upload?.catch(() => undefined)
      if (UploadId !== undefined) await abandonUpload(bucket, { key, UploadId }, tidying)
    },
  }
}

const TYPE = "application/octet-stream"

/** Resolves to whether there was one. */
export async function abandonUpload(
  bucket: Bucket,
  { key, UploadId }: { readonly key: string; readonly UploadId: string },
  signal?: AbortSignal,
): Promise<boolean> {
  const command = new AbortMultipartUploadCommand({ ...bucket.at(key), UploadId })
  const answer = await bucket.ask("abandoning an upload", command, {
    signal,
    refused: ({ code }) => (code === "NoSuchUpload" ? "none" : undefined),
  })
  return answer !== "none"
}

/** Aborts later than `signal`. */
function createLateSignal(signal: AbortSignal): AbortSignal {
  const late = new AbortController()
  const onAbort = (): void => void setTimeout(() => late.abort(), LATE_MS).unref()
  signal.addEventListener("abort", onAbort, { once: true })
  return late.signal
}
