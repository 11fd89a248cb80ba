/** The clock of the machine, as far as this adapter needs one. A wait keeps the process alive. */
import type { AbortSignalLike } from "@safelight/core"

export const systemClock = {
  wait(durationMs: number, signal?: AbortSignalLike): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve()
    return new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener("abort", finish)
        resolve()
      }
      const timer = setTimeout(finish, durationMs)
      signal?.addEventListener("abort", finish)
    })
  },
} as const
