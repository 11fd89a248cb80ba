/**
 * Lists objects and unfinished uploads, page by page. If a truncated page does not say where the next one begins,
 * the client's own paginators take it for the last one, and silently cut the list off.
 */
import { ListMultipartUploadsCommand, ListObjectsV2Command } from "@aws-sdk/client-s3"
import { followPages, type UnfinishedObject } from "@safelight/artifacts"
import { isArtifactLocator } from "@safelight/core"
import type { Bucket } from "./bucket.ts"
import { abandonUpload } from "./create-writer.ts"
import { BUCKET_NAME } from "./refusals.ts"

/** A bucket lists in the order of keys, so those of one folder follow each other. */
export async function* listKeys(
  bucket: Bucket,
  begin: string,
  most?: number,
): AsyncGenerator<string> {
  const { name, prefix } = bucket
  const input = { Bucket: name, Prefix: `${prefix}${begin}`, MaxKeys: most }
  const pages = followPages({
    name: BUCKET_NAME,
    ask: (next?: { readonly ContinuationToken: string | undefined }) =>
      bucket.ask("listing objects", new ListObjectsV2Command({ ...input, ...next })),
    toNext: ({ IsTruncated, NextContinuationToken: ContinuationToken }) =>
      IsTruncated === true ? { ContinuationToken } : undefined,
  })
  for await (const { Contents = [] } of pages) {
    for (const { Key = "" } of Contents) if (Key.startsWith(prefix)) yield Key.slice(prefix.length)
    if (most !== undefined) return
  }
}

/**
 * The uploads below the prefix whose key is a locator. Only its age tells one that a crash left from one that
 * still runs, perhaps in another process: a listing does not show when the newest part was stored.
 */
export async function* listUploads(
  bucket: Bucket,
  most?: number,
): AsyncGenerator<UnfinishedObject> {
  const { name, prefix } = bucket
  const input = { Bucket: name, Prefix: prefix === "" ? undefined : prefix, MaxUploads: most }
  const pages = followPages({
    name: BUCKET_NAME,
    ask: (next?: UploadMarker) =>
      bucket.ask("listing uploads", new ListMultipartUploadsCommand({ ...input, ...next })),
    toNext: ({ IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker }) =>
      IsTruncated === true ? { KeyMarker, UploadIdMarker } : undefined,
  })
  for await (const { Uploads = [] } of pages) {
    for (const { Key = "", UploadId = "", Initiated } of Uploads) {
      const key = Key.slice(prefix.length)
      const isOurs = Key.startsWith(prefix) && isArtifactLocator(key) && UploadId !== ""
      // Without a date there is no telling whether it still runs.
      if (!isOurs || Initiated === undefined) continue
      yield { at: Initiated.getTime(), remove: () => abandonUpload(bucket, { key, UploadId }) }
    }
    if (most !== undefined) return
  }
}

interface UploadMarker extends Readonly<Record<string, string | undefined>> {
  readonly KeyMarker: string | undefined
  readonly UploadIdMarker: string | undefined
}
