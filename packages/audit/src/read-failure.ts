/** Why what was archived can't be read. */
import { isSafelightError, SafelightError } from "@safelight/core"

/** Whatever else goes wrong with bytes that were read is their own fault. */
export function toReadFailure(cause: unknown, name: string): SafelightError {
  const isOut = isSafelightError(cause) && cause.code === "artifacts-unavailable"
  const why = cause instanceof Error ? cause.message : String(cause)
  return new SafelightError({
    code: isOut ? "storage-unavailable" : "storage-corrupt",
    message: `${name} can't be read: ${why}`,
    retryable: isOut,
    cause,
  })
}
