/**
 * Stores an artifact under a locator that another storage gave out, for a log that moves and names it.
 * What is not what it should be never appears. A failure leaves what is whole: the locator may hold
 * what an earlier call, or one beside this, was told is stored.
 */
import { isArtifactLocator, type ArtifactRestore, type RestoreOutcome } from "@safelight/core"
import { storeBody, type StoreHost } from "./store-body.ts"

export async function restoreArtifact(
  host: StoreHost,
  request: ArtifactRestore,
): Promise<RestoreOutcome> {
  if (!isArtifactLocator(request.locator)) return "foreign-locator"
  const stored = await storeBody(
    host,
    { ...request, isNew: false },
    ({ bytes, sha256 }) => bytes === request.bytes && sha256 === request.sha256,
  )
  return stored === undefined ? "differs" : "stored"
}
