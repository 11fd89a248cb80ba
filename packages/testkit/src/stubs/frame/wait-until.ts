/** Waits for a moment of the wall clock: a timer may end a millisecond before it. */
import type { AbortSignalLike, Clock } from "@safelight/core"

/** Resolves once the moment has come, or when `signal` aborts. */
export async function waitUntil(clock: Clock, at: number, signal: AbortSignalLike): Promise<void> {
  while (clock.now() < at && !signal.aborted) {
    // The timer may have ended too early: wait for the rest.
    // oxlint-disable-next-line no-await-in-loop
    await clock.wait(at - clock.now(), signal)
  }
}
