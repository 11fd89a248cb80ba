/**
 * Time as the engine sees it. `now` may jump, so that only recorded moments use it; waiting and
 * comparing within a process use `monotonicNow`. Neither throws. The manual clock of `testkit`
 * implements this port.
 */
export interface Clock {
  /** Milliseconds since the Unix epoch, an integer. */
  now(): number
  /** Milliseconds from an arbitrary start that never fall. */
  monotonicNow(): number
  /** Resolves after `durationMs`, or as soon as `signal` aborts; never rejects. */
  wait(durationMs: number, signal?: AbortSignalLike): Promise<void>
}

/** The part of an AbortSignal that ports use: core sees no host. */
export interface AbortSignalLike {
  readonly aborted: boolean
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: "abort", listener: () => void): void
}
