/**
 * Lists the locators of one task, or of all. An object whose key is no locator is not ours and is not shown. An
 * incomplete upload is no object, so it is not shown either.
 */
import { isArtifactLocator } from "@safelight/core"
import type { Bucket } from "./bucket.ts"
import { askObjects, followPages } from "./list-pages.ts"
import { toTaskPrefix } from "./locator.ts"

export async function listArtifacts(bucket: Bucket, task: string): Promise<readonly string[]> {
  const locators: string[] = []
  for await (const locator of listLocators(bucket, toTaskPrefix(task))) locators.push(locator)
  return locators
}

/** Those of all tasks. A bucket lists in the order of keys, so those of one task follow each other. */
export function listAllArtifacts(bucket: Bucket): AsyncIterable<string> {
  return listLocators(bucket, "")
}

async function* listLocators(bucket: Bucket, begin: string): AsyncGenerator<string> {
  const { prefix } = bucket
  const pages = followPages(
    (next?: { readonly token: string }) => askObjects(bucket, { begin, token: next?.token }),
    ({ NextContinuationToken: token }) => ({ token }),
  )
  for await (const { Contents = [] } of pages) {
    for (const { Key = "" } of Contents) {
      const locator = Key.slice(prefix.length)
      const isOurs = Key === `${prefix}${locator}` && locator.startsWith(begin)
      if (isOurs && isArtifactLocator(locator)) yield locator
    }
  }
}
