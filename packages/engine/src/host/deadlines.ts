/**
 * Bounds on calls to channels: a call is cut off when its time is up or its parent signal aborts,
 * also where the channel ignores the signal it was given. One coarse tick watches over all calls
 * under way, since a timer for each would cost more than many a call.
 */
import { SafelightError, type Clock } from "@safelight/core"

export interface Deadlines {
  /**
   * The call's own result, or a rejection with `aborted` after `durationMs` on the monotonic clock
   * (late by up to a tick) or on the parent's abort, whichever comes first.
   */
  run<Result>(
    durationMs: number,
    parent: AbortSignal | undefined,
    call: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result>
}

interface Bound {
  readonly at: number
  readonly cut: () => void
}

/** Calls take seconds: a tenth of one is exact enough. */
const TICK_MS = 100

/** A reason of our own: without one, each abort builds an exception with its stack. */
const CUT = "cut off"

function cutOff(): SafelightError {
  return new SafelightError({ code: "aborted", message: "the call took too long" })
}

export function createDeadlines(clock: Clock): Deadlines {
  const bounds = new Set<Bound>()
  let isWatching = false

  async function watch(): Promise<void> {
    if (isWatching) return
    isWatching = true
    while (bounds.size > 0) {
      await clock.wait(TICK_MS)
      const now = clock.monotonicNow()
      for (const { at, cut } of bounds) if (at <= now) cut()
    }
    isWatching = false
  }

  return {
    run: (durationMs, parent, call) =>
      new Promise((resolve, reject) => {
        const controller = new AbortController()
        const bound = { at: clock.monotonicNow() + durationMs, cut }
        function end(): void {
          bounds.delete(bound)
          parent?.removeEventListener("abort", cut)
        }
        function cut(): void {
          end()
          controller.abort(CUT)
          // A turn later, so that the answer of a call that obeys its signal counts.
          setImmediate(() => reject(cutOff()))
        }
        if (parent?.aborted === true) return cut()
        parent?.addEventListener("abort", cut)
        bounds.add(bound)
        void watch()
        call(controller.signal).then(resolve, reject).finally(end)
      }),
  }
}
