/**
 * Lists the locators of a task, or of all. Only what this adapter could have made is shown: any other object
 * below the prefix is somebody else's. An upload that is not complete is no object, and not listed.
 */
import { isArtifactLocator } from "@safelight/core"
import type { Bucket } from "./bucket.ts"
import { listPages } from "./list-pages.ts"
import { toTaskPrefix } from "./locator.ts"
import { findElements, findText } from "./xml-text.ts"

export async function listArtifacts(bucket: Bucket, task: string): Promise<readonly string[]> {
  const locators: string[] = []
  for await (const locator of listLocators(bucket, toTaskPrefix(task))) locators.push(locator)
  return locators
}

/** Of all tasks; a bucket lists in the order of keys, so those of a task stand together. */
export function listAllArtifacts(bucket: Bucket): AsyncIterable<string> {
  return listLocators(bucket, "")
}

async function* listLocators(bucket: Bucket, begin: string): AsyncGenerator<string> {
  const { prefix } = bucket
  const pages = listPages(bucket, {
    operation: "listing objects",
    query: { "list-type": "2", prefix: `${prefix}${begin}` },
    root: "ListBucketResult",
    toNext: (page) => ({ "continuation-token": findText(page, "NextContinuationToken") }),
  })
  for await (const page of pages) {
    for (const element of findElements(page, "Contents")) {
      const key = findText(element, "Key") ?? ""
      const locator = key.slice(prefix.length)
      const isOurs = key === `${prefix}${locator}` && locator.startsWith(begin)
      if (isOurs && isArtifactLocator(locator)) yield locator
    }
  }
}
