/**
 * Turns the error of a failed system call into the port's error. Only our own work passes through here, never the
 * body of a put: a body that reads files fails with system errors too, and those are its own. An error that is
 * no system error is a bug of ours and stays as it is.
 */
import { SafelightError, type AbortSignalLike } from "@safelight/core"

/** The name of a failed system call's error, such as `ENOENT`; undefined for any other error. */
export function toErrorName(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined
  return typeof error.code === "string" ? error.code : undefined
}

/** Does the work. Rejects with `artifacts-unavailable`, retryable, instead of a system error. */
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
