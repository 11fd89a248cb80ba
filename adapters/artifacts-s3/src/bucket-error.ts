/** The error of a bucket that fails or answers otherwise than S3 does. */
import { createUnavailable } from "@safelight/artifacts"
import type { SafelightError } from "@safelight/core"

export const BUCKET_NAME = "The bucket"

/** Has no cause: an error of a socket or of the client can hold what we signed. */
export function createBucketError(reason: string): SafelightError {
  return createUnavailable(BUCKET_NAME, reason)
}
