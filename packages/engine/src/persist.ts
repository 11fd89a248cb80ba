/**
 * Calling again what fails for now. Only for what may be called twice: a call that rejected may
 * have been carried out all the same.
 */
import { isSafelightError, type AbortSignalLike } from "@safelight/core"
import type { Ports } from "./ports.ts"
import { toBackoffMs } from "./settings.ts"

/**
 * What `call` resolves to, with growing pauses between up to `maxTries` tries. Rejects with its
 * last error where that is not retryable, the tries are used up, or `signal` is aborted.
 */
export async function persist<Result>(
  { clock, settings }: Pick<Ports, "clock" | "settings">,
  call: () => Promise<Result>,
  signal: AbortSignalLike | undefined,
  maxTries = Infinity,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call()
    } catch (error) {
      const mayRetry = isSafelightError(error) && error.retryable && attempt < maxTries
      if (!mayRetry || signal?.aborted === true) throw error
      await clock.wait(toBackoffMs(settings, attempt), signal)
    }
  }
}
