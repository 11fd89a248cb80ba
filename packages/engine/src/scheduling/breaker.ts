/**
 * A circuit breaker for one channel: after some failures in a row it gets nothing for a while,
 * then tried with one call at a time. What a call led to is none of its business: a task that runs
 * at the channel for an hour keeps nobody out. It judges by the monotonic clock handed to it.
 *
 *   closed ─n failures→ open ─time→ half open ─success→ closed
 *                         ↑___________________│ failure
 */
export interface Breaker {
  state(): BreakerState
  /** A task was given to it. What is returned says that its call is over, or that none was made. */
  begin(): () => void
  recordSuccess(): void
  recordFailure(): void
}

/** `half-open`: one task may try the channel. `being-tried`: that one's call is under way. */
export type BreakerState = "closed" | "open" | "half-open" | "being-tried"

export interface BreakerOptions {
  readonly failures: number
  readonly openMs: number
  readonly monotonicNow: () => number
}

export function createBreaker(options: BreakerOptions): Breaker {
  let failuresInARow = 0
  let openUntil = 0
  const underWay = new Set<symbol>()
  return {
    state() {
      if (failuresInARow < options.failures) return "closed"
      if (options.monotonicNow() < openUntil) return "open"
      return underWay.size === 0 ? "half-open" : "being-tried"
    },
    begin() {
      const call = Symbol("call")
      underWay.add(call)
      return () => void underWay.delete(call)
    },
    recordSuccess() {
      failuresInARow = 0
    },
    recordFailure() {
      failuresInARow += 1
      openUntil = options.monotonicNow() + options.openMs
    },
  }
}
