/**
 * An artifact's locator is its key below the prefix, in the form that core gives the locators of every
 * storage. It may hold `%`, which has to be escaped in a URL.
 */
import { hash, randomUUID } from "node:crypto"
import { toArtifactFolder, toArtifactLocator } from "@safelight/core"

/** A new locator, which no other call ever returns. */
export function createLocator(artifact: { readonly task: string; readonly key: string }): string {
  const { task, key } = artifact
  return toArtifactLocator({ task, key, random: randomUUID() }, toHash)
}

/** What all locators of a task begin with, and no others do. */
export function toTaskPrefix(task: string): string {
  return `${toArtifactFolder(task, toHash)}/`
}

function toHash(name: string): string {
  return hash("sha256", name)
}
