/**
 * A circuit breaker for one channel: after some failures in a row it is left alone for a while,
 * then tried with one task. It judges by the monotonic clock handed to it.
 *
 *   closed ─n failures→ open ─time→ half open ─success→ closed
 *                         ↑___________________│ failure
 */
export interface Breaker {
  /** Whether a call may be made now. */
  canPass(): boolean
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
  return {
    canPass: () => failuresInARow < options.failures || options.monotonicNow() >= openUntil,
    recordSuccess() {
      failuresInARow = 0
    },
    recordFailure() {
      failuresInARow += 1
      openUntil = options.monotonicNow() + options.openMs
    },
  }
}
