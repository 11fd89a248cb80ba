/**
 * Whether the service can be used, asked by anybody at any rate: callers share one check, its
 * answer is believed for a second, and one that takes too long is a no.
 */
import { SafelightError, type Clock } from "@safelight/core"

const BELIEVED_MS = 1_000
const PATIENCE_MS = 3_000

/** The shared form of `check`; rejects with the check's own error, or `overloaded` on a slow one. */
export function createReadiness(clock: Clock, check: () => Promise<void>): () => Promise<void> {
  let latest: Promise<void> | undefined
  let latestAt = 0

  async function checkInTime(): Promise<void> {
    const over = new AbortController()
    const late = clock.wait(PATIENCE_MS, over.signal).then(() => {
      const message = "the readiness check took too long"
      throw new SafelightError({ code: "overloaded", message, retryable: true })
    })
    try {
      await Promise.race([check(), late])
    } finally {
      late.catch(() => {})
      over.abort("over")
    }
  }

  return () => {
    const isStale = clock.monotonicNow() - latestAt >= BELIEVED_MS
    if (latest === undefined || isStale) {
      latestAt = clock.monotonicNow()
      latest = checkInTime()
    }
    return latest
  }
}
