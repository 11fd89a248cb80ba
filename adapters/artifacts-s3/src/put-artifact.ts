/** Stores one artifact under a locator of its own, so that whatever a failure leaves there can go. */
import type { ArtifactPut, StoredArtifact } from "@safelight/core"
import { createLocator } from "./locator.ts"
import { storeBody, type StoreHost } from "./store-body.ts"

export async function putArtifact(host: StoreHost, request: ArtifactPut): Promise<StoredArtifact> {
  const { body, signal } = request
  const locator = createLocator(request)
  const target = { locator, body, isNew: true, ...(signal && { signal }) }
  const stored = await storeBody(host, target, () => true)
  if (stored === undefined) throw new TypeError("what is put is always accepted")
  return { locator, ...stored }
}
