/** The machine's clock, for a stub that is given no other. A wait keeps the process alive. */
import type { Clock } from "@safelight/core"

export function createMachineClock(): Clock {
  return {
    now: () => Date.now(),
    monotonicNow: () => performance.now(),
    wait: (durationMs, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) {
          resolve()
          return
        }
        const timer = setTimeout(finish, durationMs)
        function finish(): void {
          clearTimeout(timer)
          signal?.removeEventListener("abort", finish)
          resolve()
        }
        signal?.addEventListener("abort", finish, { once: true })
      }),
  }
}
