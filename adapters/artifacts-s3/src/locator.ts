/**
 * Where an artifact lies below the prefix: its locator is its key, in the form that the core gives all
 * locators, those of a folder included. A locator may hold `%`, which a URL has to escape.
 */
import { hash, randomUUID } from "node:crypto"
import { toArtifactFolder, toArtifactLocator } from "@safelight/core"

/** A new locator, that no other call ever returns. */
export function createLocator(artifact: { readonly task: string; readonly key: string }): string {
  const { task, key } = artifact
  return toArtifactLocator({ task, key, random: randomUUID() }, toHash)
}

/** What the locators of a task begin with, and no others. */
export function toTaskPrefix(task: string): string {
  return `${toArtifactFolder(task, toHash)}/`
}

function toHash(name: string): string {
  return hash("sha256", name)
}
