/**
 * The edge at which a failed system call becomes the error of the port. Only work of ours passes
 * through here, never the body of a put: a body that reads files fails with system errors too, and
 * those are its own. What is not a system error is a mistake of ours and stays as it is.
 */
import { SafelightError, type AbortSignalLike } from "@safelight/core"

/** The name of a failed system call's error, `ENOENT` say, or undefined for any other error. */
export function toErrorName(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined
  return typeof error.code === "string" ? error.code : undefined
}

/** Does the work; a system error in it rejects with `artifacts-unavailable`. */
export async function translateFailure<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    const name = toErrorName(error)
    throw name === undefined
      ? error
      : createUnavailable(`The artifact folder failed: ${name}`, error)
  }
}

export function createUnavailable(message: string, cause?: unknown): SafelightError {
  return new SafelightError({ code: "artifacts-unavailable", message, retryable: true, cause })
}

export function createMissing(): SafelightError {
  return new SafelightError({ code: "artifact-missing", message: "The locator holds no artifact" })
}

export function throwIfAborted(signal: AbortSignalLike | undefined): void {
  if (signal?.aborted === true) throw createAborted()
}

export function createAborted(): SafelightError {
  return new SafelightError({ code: "aborted", message: "Storing the artifact was called off" })
}
