/**
 * Follows a listing page by page. If a truncated page does not say where the next one begins, the client's own
 * paginators take it for the last one, and silently cut the list off.
 */
import {
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  type ListMultipartUploadsCommandOutput,
  type ListObjectsV2CommandOutput,
} from "@aws-sdk/client-s3"
import type { Bucket } from "./bucket.ts"
import { createUnavailable } from "./storage-failure.ts"

interface Page {
  readonly IsTruncated?: boolean | undefined
}

/** Rejects with `artifacts-unavailable`, even if a listing has no end. */
export async function* followPages<Answer extends Page, Next extends object>(
  ask: (next: Next | undefined) => Promise<Answer>,
  toNext: (page: Answer) => { readonly [Name in keyof Next]: Next[Name] | undefined },
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
      throw createUnavailable("a listing has no end")
    }
    next = following as Next
  }
}

/** A page of the objects whose keys begin so, below the prefix. */
export function askObjects(
  bucket: Bucket,
  page: { readonly begin: string; readonly most?: number; readonly token?: string | undefined },
): Promise<ListObjectsV2CommandOutput> {
  const { begin, most, token } = page
  return bucket.ask({
    operation: "listing objects",
    send: (client, options) =>
      client.send(
        new ListObjectsV2Command({
          Bucket: bucket.name,
          Prefix: `${bucket.prefix}${begin}`,
          MaxKeys: most,
          ContinuationToken: token,
        }),
        options,
      ),
  })
}

export interface UploadMarker {
  readonly KeyMarker: string
  readonly UploadIdMarker: string
}

/** A page of the incomplete uploads below the prefix. */
export function askUploads(
  bucket: Bucket,
  page: { readonly most?: number; readonly marker?: UploadMarker | undefined },
): Promise<ListMultipartUploadsCommandOutput> {
  return bucket.ask({
    operation: "listing uploads",
    send: (client, options) =>
      client.send(
        new ListMultipartUploadsCommand({
          Bucket: bucket.name,
          Prefix: bucket.prefix === "" ? undefined : bucket.prefix,
          MaxUploads: page.most,
          ...page.marker,
        }),
        options,
      ),
  })
}
