/**
 * Where an artifact lies below the folder: its place is its path, in the form that the core gives
 * all places. What is not whole yet has a random name alone, of the same kind.
 */
import { hash, randomUUID } from "node:crypto"
import { toArtifactFolder, toArtifactPlace, type PlaceParts } from "@safelight/core"

const RANDOM_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The three folders above an artifact, relative like its place, deepest first. */
export interface PlaceFolders {
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

export function toPlace(parts: PlaceParts): string {
  return toArtifactPlace(parts, toHash)
}

export function toPlaceFolders(place: string): PlaceFolders {
  const [shard = "", task = "", key = ""] = place.split("/")
  return { key: `${shard}/${task}/${key}`, task: `${shard}/${task}`, shard }
}

function toHash(name: string): string {
  return hash("sha256", name)
}
