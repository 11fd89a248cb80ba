/** The error for a provider that does not answer, or whose answer can't be used: the request may be sent again. */
import { SafelightError } from "@safelight/core"

export interface Unavailability {
  readonly cause?: unknown
  /** The pause that the provider asks for. */
  readonly retryAfterMs?: number | undefined
}

export function unavailable(
  message: string,
  { cause, retryAfterMs }: Unavailability = {},
): SafelightError {
  const pause = retryAfterMs === undefined ? {} : { retryAfterMs }
  return new SafelightError({
    code: "channel-unavailable",
    message,
    retryable: true,
    cause,
    ...pause,
  })
}
