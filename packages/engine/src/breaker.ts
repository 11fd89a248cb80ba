/**
 * A circuit breaker for one channel: after some failures in a row it is left alone for a while,
 * then tried with one task at a time. It judges by the monotonic clock handed to it.
 *
 *   closed ─n failures→ open ─time→ half open ─success→ closed
 *                         ↑___________________│ failure
 */
export interface Breaker {
  /** Whether a task may be given to the channel now. */
  canPass(): boolean
  /** A task was given to it; `end` says that its call, if any, is over. */
  begin(): void
  end(): void
  recordSuccess(): void
  recordFailure(): void
}

export interface BreakerOptions {
  readonly failures: number
  readonly openMs: number
  readonly monotonicNow: () => number
}

export function createBreaker(options: BreakerOptions): Breaker {
  let failuresInARow = 0
  let openUntil = 0
  let inFlight = 0
  return {
    canPass() {
      if (failuresInARow < options.failures) return true
      return inFlight === 0 && options.monotonicNow() >= openUntil
    },
    begin() {
      inFlight += 1
    },
    end() {
      inFlight -= 1
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
