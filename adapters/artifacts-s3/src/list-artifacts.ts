/**
 * Lists the places of a task. Only what this adapter could have made is shown: any other object
 * below the prefix is somebody else's. An upload that is not complete is no object, and not listed.
 */
import { isArtifactPlace } from "@safelight/core"
import type { Bucket } from "./bucket.ts"
import { listPages } from "./list-pages.ts"
import { toTaskPrefix } from "./place.ts"
import { findElements, findText } from "./xml-text.ts"

export async function listArtifacts(bucket: Bucket, task: string): Promise<readonly string[]> {
  const { prefix } = bucket
  const taskPrefix = toTaskPrefix(task)
  const places: string[] = []
  const pages = listPages(bucket, {
    operation: "listing objects",
    query: { "list-type": "2", prefix: `${prefix}${taskPrefix}` },
    root: "ListBucketResult",
    toNext: (page) => ({ "continuation-token": findText(page, "NextContinuationToken") }),
  })
  for await (const page of pages) {
    for (const element of findElements(page, "Contents")) {
      const key = findText(element, "Key") ?? ""
      const place = key.slice(prefix.length)
      const isOurs = key === `${prefix}${place}` && place.startsWith(taskPrefix)
      if (isOurs && isArtifactPlace(place)) places.push(place)
    }
  }
  return places
}
