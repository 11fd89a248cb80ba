/**
 * Where an artifact lies below the prefix: its place is its key, in the form that the core gives all
 * places, those of a folder included. A place may hold `%`, which a URL has to escape.
 */
import { hash, randomUUID } from "node:crypto"
import { toArtifactFolder, toArtifactPlace } from "@safelight/core"

/** A new place, that no other call ever returns. */
export function createPlace(artifact: { readonly task: string; readonly key: string }): string {
  const { task, key } = artifact
  return toArtifactPlace({ task, key, random: randomUUID() }, toHash)
}

/** What the places of a task begin with, and no others. */
export function toTaskPrefix(task: string): string {
  return `${toArtifactFolder(task, toHash)}/`
}

function toHash(name: string): string {
  return hash("sha256", name)
}
