/**
 * Abandons the uploads that crashes left, below the prefix and with a key that this adapter could
 * have made. One that still runs, perhaps in another process, differs only by its age; parts that
 * it stored since do not show.
 */
import { isArtifactLocator } from "@safelight/core"
import type { Bucket } from "./bucket.ts"
import { listPages } from "./list-pages.ts"
import { abandonUpload, type UnfinishedUpload } from "./multipart-upload.ts"
import { findElements, findText } from "./xml-text.ts"

/** Those started at `before` or earlier, by the bucket's own clock; resolves to how many. */
export async function sweepUploads(bucket: Bucket, before: number): Promise<number> {
  const stale: UnfinishedUpload[] = []
  const pages = listPages(bucket, {
    operation: "listing uploads",
    query: { uploads: "", ...(bucket.prefix === "" ? {} : { prefix: bucket.prefix }) },
    root: "ListMultipartUploadsResult",
    toNext: (page) => ({
      "key-marker": findText(page, "NextKeyMarker"),
      "upload-id-marker": findText(page, "NextUploadIdMarker"),
    }),
  })
  for await (const page of pages) {
    for (const element of findElements(page, "Upload")) {
      const upload = toStale(element, bucket.prefix, before)
      if (upload !== undefined) stale.push(upload)
    }
  }
  let count = 0
  for (const upload of stale) {
    // oxlint-disable-next-line no-await-in-loop -- nobody waits for a sweep
    if (await abandonUpload(bucket, upload)) count += 1
  }
  return count
}

function toStale(element: string, prefix: string, before: number): UnfinishedUpload | undefined {
  const key = findText(element, "Key") ?? ""
  const uploadId = findText(element, "UploadId") ?? ""
  const startedAt = Date.parse(findText(element, "Initiated") ?? "")
  const locator = key.slice(prefix.length)
  const isOurs = key === `${prefix}${locator}` && isArtifactLocator(locator) && uploadId !== ""
  // A date that can't be read is no date to act on.
  return isOurs && startedAt <= before ? { key: locator, uploadId } : undefined
}
