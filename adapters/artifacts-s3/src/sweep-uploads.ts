/**
 * Abandons the uploads that crashes left: those below the prefix whose key is a locator. Only its age tells
 * such an upload from one that still runs, perhaps in another process: a listing does not show when its
 * newest part was stored.
 */
import { AbortMultipartUploadCommand, type MultipartUpload } from "@aws-sdk/client-s3"
import { isArtifactLocator } from "@safelight/core"
import type { Bucket } from "./bucket.ts"
import { askUploads, followPages, type UploadMarker } from "./list-pages.ts"

interface StaleUpload {
  readonly locator: string
  readonly UploadId: string
}

/** Abandons those that were started at `before` or earlier by the bucket's clock; resolves to their number. */
export async function sweepUploads(bucket: Bucket, before: number): Promise<number> {
  const stale: StaleUpload[] = []
  const pages = followPages(
    (marker?: UploadMarker) => askUploads(bucket, { marker }),
    ({ NextKeyMarker, NextUploadIdMarker }) => ({
      KeyMarker: NextKeyMarker,
      UploadIdMarker: NextUploadIdMarker,
    }),
  )
  for await (const { Uploads = [] } of pages) {
    stale.push(...Uploads.flatMap((upload) => toStale(upload, bucket.prefix, before)))
  }
  let count = 0
  for (const upload of stale) {
    // oxlint-disable-next-line no-await-in-loop -- nobody waits for a sweep
    if (await abandon(bucket, upload)) count += 1
  }
  return count
}

function toStale(upload: MultipartUpload, prefix: string, before: number): StaleUpload[] {
  const { Key = "", UploadId = "", Initiated } = upload
  const locator = Key.slice(prefix.length)
  const isOurs = Key === `${prefix}${locator}` && isArtifactLocator(locator) && UploadId !== ""
  // An upload without a date is left alone.
  const isOld = Initiated !== undefined && Initiated.getTime() <= before
  return isOurs && isOld ? [{ locator, UploadId }] : []
}

/** Resolves to whether there was one. Rejects with `artifacts-unavailable`. */
async function abandon(bucket: Bucket, { locator, UploadId }: StaleUpload): Promise<boolean> {
  const input = { ...bucket.at(locator), UploadId }
  const answer = await bucket.ask({
    operation: "abandoning an upload",
    send: (client, options) => client.send(new AbortMultipartUploadCommand(input), options),
    refused: ({ code }) => (code === "NoSuchUpload" ? "none" : undefined),
  })
  return answer !== "none"
}
