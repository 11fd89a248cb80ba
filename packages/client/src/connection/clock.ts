/** The clock of a client: the system's, or one that a test passes. */

export interface ClientClock {
  /** Unix milliseconds. */
  now(): number
  /** Resolves after `durationMs`; rejects with the signal's reason once it is aborted. */
  wait(durationMs: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: ClientClock = {
  now: () => Date.now(),
  wait(durationMs, signal) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop)
        resolve()
      }, durationMs)
      function stop(): void {
        clearTimeout(timer)
        reject(signal?.reason as Error)
      }
      signal?.addEventListener("abort", stop, { once: true })
    })
  },
}
