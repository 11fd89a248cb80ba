/** The label of a failure in metrics: one of our codes, so that their number is bounded. */
import { isSafelightError } from "@safelight/core"

/** `unexpected` for whatever is not ours. */
export function toErrorCode(error: unknown): string {
  return isSafelightError(error) ? error.code : "unexpected"
}
