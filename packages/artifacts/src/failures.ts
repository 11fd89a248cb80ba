/**
 * The errors of an artifact storage. A driver rejects with its own errors, which are translated here; a
 * `SafelightError` stays as it is, and so does a bug of ours. A body's own error never passes through here.
 */
import { isSafelightError, SafelightError } from "@safelight/core"
import type { ArtifactDriver } from "./driver.ts"

/** Retryable: once a disk, a key or a policy is corrected the artifacts are back. */
export function createUnavailable(name: string, reason: string, cause?: unknown): SafelightError {
  return new SafelightError({
    code: "artifacts-unavailable",
    message: `${name} failed: ${reason}`,
    retryable: true,
    ...(cause === undefined ? {} : { cause }),
  })
}

export function createMissing(): SafelightError {
  return new SafelightError({ code: "artifact-missing", message: "The locator holds no artifact" })
}

export function createAborted(): SafelightError {
  return new SafelightError({ code: "aborted", message: "Storing the artifact was called off" })
}

/** Does the work, and rejects with `artifacts-unavailable` instead of an error that the driver knows. */
export async function translateFailure<Result>(
  driver: ArtifactDriver,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw toStorageError(driver, error)
  }
}

export function toStorageError(driver: ArtifactDriver, error: unknown): unknown {
  const reason = isSafelightError(error) ? undefined : driver.describeFailure?.(error)
  return reason === undefined ? error : createUnavailable(driver.name, reason, error)
}

/** After a failure, since that failure is the one to report. */
export function ignoreSecondFailure(_error: unknown): void {}
