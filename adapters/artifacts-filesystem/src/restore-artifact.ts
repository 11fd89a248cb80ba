/**
 * Stores an artifact under a locator that another storage gave out, for a log that moves and names it. It
 * takes the way of a put; what is not what it should be never gets into place.
 */
import { isArtifactLocator, type ArtifactRestore, type RestoreOutcome } from "@safelight/core"
import { createRandomName } from "./locator.ts"
import { store, type PutHost } from "./put-artifact.ts"

export async function restoreArtifact(
  host: PutHost,
  request: ArtifactRestore,
): Promise<RestoreOutcome> {
  if (!isArtifactLocator(request.locator)) return "foreign-locator"
  // A name of its own: one locator may be restored by two at once.
  const incoming = createRandomName()
  const written = await store(
    host,
    { ...request, incoming },
    ({ bytes, sha256 }) => bytes === request.bytes && sha256 === request.sha256,
  )
  return written === undefined ? "differs" : "stored"
}
