/**
 * Wake-ups by other processes reach all of them at one moment. If each read the queue at once, a task would cost as
 * many reads as there are processes. So they read one after the other, each in its turn, and a read answers all
 * wake-ups that came before it.
 */
import type { Clock } from "@safelight/core"
import type { FairShares } from "./fair-shares.ts"

/** Between the reads of two processes: all together read the queue some 200 times a second. */
const TURN_MS = 5

/** After which another process is the first, by the clock that all of them share. */
const ROUND_MS = 1_000

export interface SpreadWakeUpsOptions {
  readonly clock: Pick<Clock, "now" | "wait">
  readonly shares: Pick<FairShares, "turn">
  readonly stopping: AbortSignal
}

/** Returns what to call with each wake-up; `read` is called in this process's turn, at once if it is alone. */
export function createSpreadWakeUps(options: SpreadWakeUpsOptions, read: () => void): () => void {
  const { clock, shares, stopping } = options
  let isWaiting = false

  async function waitForTurn(turnMs: number): Promise<void> {
    isWaiting = true
    await clock.wait(turnMs, stopping)
    isWaiting = false
    read()
  }

  return () => {
    if (isWaiting) return
    const { count, index } = shares.turn() ?? { count: 1, index: 0 }
    const round = Math.floor(clock.now() / ROUND_MS)
    const turnMs = ((index + round) % count) * TURN_MS
    if (turnMs > 0) void waitForTurn(turnMs)
    else read()
  }
}
