/**
 * An artifact's locator is its path below the folder, in the form that core gives the locators of every
 * storage. A file that is not whole yet has a random name alone, of the same kind as a locator's last part.
 */
import { hash, randomUUID } from "node:crypto"
import { toArtifactFolder, toArtifactLocator, type LocatorParts } from "@safelight/core"

const RANDOM_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The three folders above an artifact, relative like its locator, deepest first. */
export interface LocatorFolders {
  readonly key: string
  readonly task: string
  readonly shard: string
}

export function createRandomName(): string {
  return randomUUID()
}

export function isRandomName(name: string): boolean {
  return RANDOM_PATTERN.test(name)
}

export function toTaskFolder(task: string): string {
  return toArtifactFolder(task, toHash)
}

export function toLocator(parts: LocatorParts): string {
  return toArtifactLocator(parts, toHash)
}

export function toLocatorFolders(locator: string): LocatorFolders {
  const [shard = "", task = "", key = ""] = locator.split("/")
  return { key: `${shard}/${task}/${key}`, task: `${shard}/${task}`, shard }
}

function toHash(name: string): string {
  return hash("sha256", name)
}
