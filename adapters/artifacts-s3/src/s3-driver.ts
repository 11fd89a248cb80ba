/** The driver of a bucket with the S3 API: one command of the official client for each step. */
import { DeleteObjectCommand, HeadObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3"
import type { ArtifactDriver } from "@safelight/artifacts"
import { BUCKET_NAME } from "./refusals.ts"
import { createBucket, type Bucket } from "./bucket.ts"
import { createWriter } from "./create-writer.ts"
import { listKeys, listUploads } from "./list-pages.ts"
import { openObject } from "./open-object.ts"
import { ENDED_CODES } from "./renew-credentials.ts"
import type { S3Settings } from "./s3-options.ts"

/** 409: another process is storing one at this moment. 412: there is one. */
const TAKEN_STATUSES: ReadonlySet<number | undefined> = new Set([409, 412])
/** The answers of some buckets without conditions; others ignore the condition. */
const UNKNOWN_STATUSES: ReadonlySet<number | undefined> = new Set([400, 501])

export function createS3Driver(settings: S3Settings): ArtifactDriver {
  const bucket = createBucket(settings)
  return {
    name: BUCKET_NAME,
    pieceBytes: settings.partBytes,
    pause: bucket.pause,
    begin: async (key, signal) => createWriter(bucket, key, signal),
    open: (range) => openObject(bucket, range),
    async remove(key, signal) {
      await bucket.ask("removing an object", new DeleteObjectCommand(bucket.at(key)), {
        signal,
        refused: ({ code }) => (code === "NoSuchKey" ? "none" : undefined),
      })
    },
    async measure(key, signal) {
      const command = new HeadObjectCommand(bucket.at(key))
      const answer = await bucket.ask("looking for the stored object", command, {
        signal,
        refused: ({ status }) => (status === 404 ? "none" : undefined),
      })
      return answer === "none" ? undefined : answer.ContentLength
    },
    list: (begin, most) => listKeys(bucket, begin, most),
    storeIfAbsent: (key, bytes) => storeIfAbsent(bucket, key, bytes),
    unfinished: (most) => listUploads(bucket, most),
  }
}

async function storeIfAbsent(bucket: Bucket, key: string, Body: Uint8Array): Promise<void> {
  const input = { ...bucket.at(key), Body }
  const conditional = new PutObjectCommand({ ...input, IfNoneMatch: "*" })
  const answer = await bucket.ask("storing the mark", conditional, {
    refused: ({ code, status }) => {
      if (TAKEN_STATUSES.has(status)) return "taken"
      const isUnknown = UNKNOWN_STATUSES.has(status) && !ENDED_CODES.has(code)
      return isUnknown ? "condition-unknown" : undefined
    },
  })
  if (answer === "condition-unknown") {
    await bucket.ask("storing the mark", new PutObjectCommand(input))
  }
}
