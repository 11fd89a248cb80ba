/**
 * Artifacts as objects of a bucket with the S3 API: Amazon's, or that of another server. The bucket must be
 * strongly consistent, as S3 is: what was stored can be read at once. Several processes may share it, and
 * several installations with different prefixes.
 */
import { isArtifactLocator, type ArtifactStorage } from "@safelight/core"
import { createBucket } from "./bucket.ts"
import { checkBucket } from "./check-bucket.ts"
import { listAllArtifacts, listArtifacts } from "./list-artifacts.ts"
import { markBucket } from "./mark.ts"
import { openArtifact } from "./open-artifact.ts"
import { toSettings, type S3ArtifactsOptions } from "./s3-options.ts"
import { putArtifact, restoreArtifact } from "./store-artifact.ts"
import { deleteObject } from "./stored-object.ts"
import { sweepUploads } from "./sweep-uploads.ts"

/** A sweep removes the uploads that are older than `staleAfterMs` by the bucket's own times. */
export type S3Artifacts = Required<ArtifactStorage>

/** Throws `invalid-configuration`; connects to nothing before the first call. */
export function createS3Artifacts(options: S3ArtifactsOptions): S3Artifacts {
  const settings = toSettings(options)
  const { partBytes, staleAfterMs } = settings
  const bucket = createBucket(settings)
  const host = { bucket, partBytes }

  return {
    put: (request) => putArtifact(host, request),
    open: (request) => openArtifact(bucket, request),
    restore: (request) => restoreArtifact(host, request),
    async remove(locator) {
      if (isArtifactLocator(locator)) await deleteObject(bucket, locator)
    },
    list: (task) => listArtifacts(bucket, task),
    listAll: () => listAllArtifacts(bucket),
    mark: (proposed) => markBucket(bucket, proposed),
    check: () => checkBucket(bucket),
    sweepIncoming: (now) => sweepUploads(bucket, now - staleAfterMs),
  }
}
