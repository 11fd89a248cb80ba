/**
 * One abort signal for all of a download, fired by the caller's signal or once its total time is over. The
 * reason is the error to report, so that no code has to tell the two apart.
 */
import type { AbortSignalLike } from "@safelight/core"
import { calledOff, downloadFailed } from "./media-fault.ts"

export interface Deadline {
  readonly signal: AbortSignal
  /** Clears the timer, and no longer listens to the caller's signal. */
  end(): void
}

export function startDeadline(totalTimeoutMs: number, caller?: AbortSignalLike): Deadline {
  const controller = new AbortController()
  const callOff = (): void => controller.abort(calledOff())
  const timer = setTimeout(() => {
    controller.abort(downloadFailed("it took too long", true))
  }, totalTimeoutMs)
  // A forgotten body must not keep the process alive; its socket, if it has one, does.
  timer.unref()
  caller?.addEventListener("abort", callOff, { once: true })
  if (caller?.aborted === true) callOff()
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer)
      caller?.removeEventListener("abort", callOff)
    },
  }
}
