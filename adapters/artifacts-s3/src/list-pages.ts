/**
 * Lists objects and unfinished uploads, page by page. If a truncated page does not say where the next one begins,
 * the client's own paginators take it for the last one, and silently cut the list off.
 */
import {
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListMultipartUploadsCommandOutput,
  type ListObjectsV2CommandOutput,
} from "@aws-sdk/client-s3"
import type { UnfinishedObject } from "@safelight/artifacts"
import { isArtifactLocator } from "@safelight/core"
import { createBucketError } from "./bucket-error.ts"
import type { Bucket } from "./bucket.ts"
import { abandonUpload } from "./create-writer.ts"

/** A bucket lists in the order of keys, so those of one folder follow each other. */
export async function* listKeys(
  bucket: Bucket,
  begin: string,
  most?: number,
): AsyncGenerator<string> {
  const { name, prefix } = bucket
  const input = { Bucket: name, Prefix: `${prefix}${begin}`, MaxKeys: most }
  const pages = followPages(
    (next): Promise<ListObjectsV2CommandOutput> =>
      bucket.ask("listing objects", new ListObjectsV2Command({ ...input, ...next })),
    ({ NextContinuationToken }) => ({ ContinuationToken: NextContinuationToken }),
  )
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
  const pages = followPages(
    (next): Promise<ListMultipartUploadsCommandOutput> =>
      bucket.ask("listing uploads", new ListMultipartUploadsCommand({ ...input, ...next })),
    ({ NextKeyMarker, NextUploadIdMarker }) => ({
      KeyMarker: NextKeyMarker,
      UploadIdMarker: NextUploadIdMarker,
    }),
  )
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

interface Page {
  readonly IsTruncated?: boolean | undefined
}

type Next = Readonly<Record<string, string | undefined>>

/** Rejects with `artifacts-unavailable` if a listing has no end. */
async function* followPages<Answer extends Page>(
  ask: (next: Next | undefined) => Promise<Answer>,
  toNext: (page: Answer) => Next,
): AsyncGenerator<Answer, void, undefined> {
  let next: Next | undefined
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- a page says where the next one begins
    const page = await ask(next)
    yield page
    if (page.IsTruncated !== true) return
    const following = toNext(page)
    const isWhole = Object.values(following).every((value) => value !== undefined && value !== "")
    if (!isWhole || JSON.stringify(following) === JSON.stringify(next)) {
      throw createBucketError("a listing has no end")
    }
    next = following
  }
}
