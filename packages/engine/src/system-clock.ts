/** The clock of the machine. A wait keeps the process alive until it ends or is aborted. */
import type { AbortSignalLike, Clock } from "@safelight/core"

/** Timers hold at most a signed 32-bit count; a longer wait ends early and is waited again. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonicNow: () => performance.now(),
  wait(durationMs: number, signal?: AbortSignalLike) {
    if (signal?.aborted === true) return Promise.resolve()
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", finish)
        resolve()
      }
      const timer = setTimeout(finish, Math.min(durationMs, LONGEST_WAIT_MS))
      signal?.addEventListener("abort", finish)
    })
  },
}
