/**
 * Calls again after failures that may pass. Only for calls that are safe to repeat: a call that rejected may have
 * been carried out all the same.
 */
import { isSafelightError, type AbortSignalLike, type SafelightError } from "@safelight/core"
import type { Ports } from "../host/ports.ts"
import { toBackoffMs } from "../host/settings.ts"

/** A failover is shorter than the pauses before this try. */
const LOGGED_TRY = 4

/**
 * What `call` resolves to, with growing pauses between up to `maxTries` tries. Rejects with its
 * last error if that is not retryable, the tries are used up, or `signal` is aborted. A call that is
 * tried without end is logged from its fourth failure on, some seconds after the first.
 */
export async function persist<Result>(
  { clock, log, settings }: Pick<Ports, "clock" | "log" | "settings">,
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
      if (maxTries === Infinity && attempt >= LOGGED_TRY) {
        log.error({ error, attempt }, "storage call failed")
      }
      await clock.wait(toBackoffMs(settings, attempt), signal)
    }
  }
}

export interface FactOptions {
  readonly signal?: AbortSignalLike
  /**
   * How often a retryable failure is tried; without end by default. A caller that sets a bound calls again later,
   * and then a failure that is not retryable is not tried again.
   */
  readonly maxTries?: number
}

/** Tries of a fact that the storage refuses for good: some fifteen seconds in all. */
const REFUSED_TRIES = 5

/**
 * The same for a fact, which may have cost money: an error that is not retryable is tried again some times too,
 * since a passing failure of a proxy can look like one.
 */
export async function persistFact<Result>(
  ports: Pick<Ports, "clock" | "log" | "settings">,
  call: () => Promise<Result>,
  { maxTries, signal }: FactOptions,
): Promise<Result> {
  const { clock, log, settings } = ports
  for (let refused = 1; ; refused += 1) {
    try {
      return await persist(ports, call, signal, maxTries)
    } catch (error) {
      const isFinal = isSafelightError(error) && !error.retryable && isFromStorage(error)
      const mayRetry = isFinal && maxTries === undefined && refused < REFUSED_TRIES
      if (!mayRetry || signal?.aborted === true) throw error
      log.error({ error }, "append failed")
      await clock.wait(toBackoffMs(settings, refused), signal)
    }
  }
}

function isFromStorage({ code }: SafelightError): boolean {
  return code === "storage-unavailable" || code === "storage-corrupt"
}
