/**
 * A bound on one call to a channel: a signal that aborts after some time on the injected clock or
 * with its parent, and a promise that does not wait for a channel which ignores the signal.
 */
import { SafelightError, type Clock } from "@safelight/core"

/** A reason of our own: without one, each abort builds an exception with its stack. */
const CLEARED = "cleared"

export interface Deadline {
  readonly signal: AbortSignal
  /** The call's own result, or a rejection with `aborted` once the signal aborts. */
  bound<Result>(call: Promise<Result>): Promise<Result>
  /** Ends the waiting; the signal then never aborts by time. */
  clear(): void
}

export function createDeadline(clock: Clock, durationMs: number, parent: AbortSignal): Deadline {
  const controller = new AbortController()
  const over = new AbortController()
  const abort = (): void => controller.abort()
  if (parent.aborted) abort()
  else parent.addEventListener("abort", abort)
  void clock.wait(durationMs, over.signal).then(() => over.signal.aborted || abort())
  return {
    signal: controller.signal,
    bound: (call) => Promise.race([call, rejectOnAbort(controller.signal)]),
    clear() {
      over.abort(CLEARED)
      parent.removeEventListener("abort", abort)
    },
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const fail = (): void =>
      reject(new SafelightError({ code: "aborted", message: "the call took too long" }))
    if (signal.aborted) fail()
    else signal.addEventListener("abort", fail, { once: true })
  })
}
