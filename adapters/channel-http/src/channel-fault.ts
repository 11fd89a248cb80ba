/** A provider that does not answer, or whose answer does not help: the same question may be asked again. */
import { SafelightError } from "@safelight/core"

export interface Unavailability {
  readonly cause?: unknown
  /** As the provider asks. */
  readonly retryAfterMs?: number | undefined
}

export function unavailable(
  message: string,
  { cause, retryAfterMs }: Unavailability = {},
): SafelightError {
  const pause = retryAfterMs === undefined ? {} : { retryAfterMs }
  const fault = { code: "channel-unavailable", message, retryable: true, cause } as const
  return new SafelightError({ ...fault, ...pause })
}
