/** The machine's own time: what the inspector measures and waits by unless a host hands it another clock. */
import type { Clock } from "@safelight/core"

export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  monotonicNow: () => performance.now(),
  wait(durationMs, signal) {
    if (signal?.aborted === true) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(finish, durationMs)
      function finish(): void {
        clearTimeout(timer)
        signal?.removeEventListener("abort", finish)
        resolve()
      }
      signal?.addEventListener("abort", finish, { once: true })
    })
  },
}
