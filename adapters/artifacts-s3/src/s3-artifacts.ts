/**
 * Artifacts as objects of a bucket with the S3 API: Amazon's, or that of another server. The bucket must be
 * strongly consistent, as S3 is: what was stored can be read at once. Several processes may share it, and
 * several installations with different prefixes.
 */
import { createArtifactStorage, type ArtifactDriver } from "@safelight/artifacts"
import type { ArtifactStorage } from "@safelight/core"
import { createS3Driver } from "./s3-driver.ts"
import { toSettings, type S3ArtifactsOptions } from "./s3-options.ts"

/** A sweep removes the uploads that are older than `staleAfterMs` by the bucket's own times. */
export type S3Artifacts = Required<ArtifactStorage>

/** Throws `invalid-configuration`; connects to nothing before the first call. */
export function createS3Artifacts(options: S3ArtifactsOptions): S3Artifacts {
  const settings = toSettings(options)
  return createArtifactStorage(createS3Driver(settings), settings)
}

/** The objects alone, for what is no artifact. */
export type S3Objects = ArtifactDriver

/** Throws `invalid-configuration`; connects to nothing before the first call. */
export function createS3Objects(options: S3ArtifactsOptions): S3Objects {
  return createS3Driver(toSettings(options))
}
