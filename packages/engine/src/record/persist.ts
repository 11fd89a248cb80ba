/**
 * Calling again what fails for now. Only for what may be called twice: a call that rejected may
 * have been carried out all the same.
 */
import { isSafelightError, type AbortSignalLike, type SafelightError } from "@safelight/core"
import type { Ports } from "../host/ports.ts"
import { toBackoffMs } from "../host/settings.ts"

/** A failover is shorter than the pauses before this try. */
const LOGGED_TRY = 4

/**
 * What `call` resolves to, with growing pauses between up to `maxTries` tries. Rejects with its
 * last error where that is not retryable, the tries are used up, or `signal` is aborted. A call that is
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
   * While the storage fails and says that it may be tried again; without end by default. Who sets a
   * bound comes back later, and then a refusal that is said to be final is not tried again.
   */
  readonly maxTries?: number
}

/** Tries of a fact that the storage refuses for good: some fifteen seconds in all. */
const REFUSED_TRIES = 5

/**
 * The same for what must be written down, which may have cost money: an error that is said to be
 * final is tried again some times too, since a proxy's passing trouble can look like one.
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
