/**
 * A body too large for one request, part by part. One part is under way at a time, while the body is
 * asked for the next one. An upload that nobody completes is invisible, and costs money until it is
 * abandoned: at once where this process can, else by the sweep.
 *
 *   (nothing) → created → part, part, … → completed
 *                  └──────────┴→ abandoned
 */
import { hash } from "node:crypto"
import { expectFine, isFine, toRefusal, type Bucket, type Payload } from "./bucket.ts"
import type { Stop } from "./stop.ts"
import { createUnavailable } from "./storage-failure.ts"
import { OBJECT_HEADERS, TIDY_PATIENCE } from "./store-payload.ts"
import { escapeXml, findRoot, findText } from "./xml-text.ts"

export interface MultipartUpload {
  /**
   * Waits until the part before is stored, so that its memory is free, and sends this one; a
   * failure of it reaches `stop`.
   */
  send(part: Payload): Promise<void>
  /** Once every part is stored. */
  complete(): Promise<void>
  /** Waits for the part under way, which `stop` has to end. Never rejects. */
  abandon(): Promise<void>
}

export interface MultipartTarget {
  readonly key: string
  readonly stop: Stop
}

/** S3's bound. */
const MOST_PARTS = 10_000

export function createMultipartUpload(bucket: Bucket, target: MultipartTarget): MultipartUpload {
  const { key, stop } = target
  const { signal } = stop
  const etags: string[] = []
  let uploadId: string | undefined
  let sending = Promise.resolve()

  async function create(): Promise<string> {
    const operation = "starting an upload"
    const query = { uploads: "" }
    const headers = OBJECT_HEADERS
    const answer = await bucket.ask({ operation, method: "POST", key, query, headers, signal })
    const id = findText(expectFine(answer).text, "UploadId")
    if (id === undefined || id === "") throw createUnavailable("it started an upload without an id")
    return id
  }

  async function sendPart(body: Payload): Promise<void> {
    uploadId ??= await create()
    const operation = "storing a part"
    const query = { partNumber: String(etags.length + 1), uploadId }
    const answer = await bucket.ask({ operation, method: "PUT", key, query, body, signal })
    const { etag } = expectFine(answer).headers
    if (etag === undefined) throw createUnavailable("it stored a part without an ETag")
    etags.push(etag)
  }

  return {
    async send(part) {
      await sending
      if (etags.length === MOST_PARTS)
        throw createUnavailable(`it takes ${MOST_PARTS} parts at most`)
      sending = sendPart(part)
      sending.catch((error: unknown) => stop.because(error))
    },

    async complete() {
      await sending
      const operation = "completing an upload"
      const query = { uploadId: uploadId ?? "" }
      const body = toPayload(etags)
      const answer = await bucket.ask({ operation, method: "POST", key, query, body, signal })
      // An earlier try did it, and its answer was lost: whether so, the object itself will say.
      if (answer.code === "NoSuchUpload") return
      if (findRoot(expectFine(answer).text) === "CompleteMultipartUploadResult") return
      throw createUnavailable("it did not say that an upload is complete")
    },

    async abandon() {
      await Promise.allSettled([sending])
      if (uploadId !== undefined) {
        await abandonUpload(bucket, { key, uploadId }, TIDY_PATIENCE).catch(ignoreSecondFailure)
      }
    },
  }
}

export interface UnfinishedUpload {
  /** Below the prefix. */
  readonly key: string
  readonly uploadId: string
}

/** Whether there was one. Rejects with `artifacts-unavailable`. */
export async function abandonUpload(
  bucket: Bucket,
  { key, uploadId }: UnfinishedUpload,
  patience?: typeof TIDY_PATIENCE,
): Promise<boolean> {
  const answer = await bucket.ask({
    operation: "abandoning an upload",
    method: "DELETE",
    key,
    query: { uploadId },
    ...(patience === undefined ? {} : { patience }),
  })
  if (!isFine(answer) && answer.code !== "NoSuchUpload") throw toRefusal(answer)
  return isFine(answer)
}

function toPayload(etags: readonly string[]): Payload {
  const parts = etags.map(
    (etag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  )
  const namespace = "http://s3.amazonaws.com/doc/2006-03-01/"
  const xml = `<CompleteMultipartUpload xmlns="${namespace}">${parts.join("")}</CompleteMultipartUpload>`
  return { bytes: Buffer.from(xml), sha256: hash("sha256", xml) }
}

function ignoreSecondFailure(_error: unknown): void {}
