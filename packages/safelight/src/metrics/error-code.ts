/** What a failure is counted under: one of our codes, so that there is a bounded number of them. */
import { isSafelightError } from "@safelight/core"

/** `unexpected` for whatever is not ours. */
export function toErrorCode(error: unknown): string {
  return isSafelightError(error) ? error.code : "unexpected"
}
