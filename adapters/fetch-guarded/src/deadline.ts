/**
 * One abort signal for all of a download or of a message's delivery, fired by the caller's signal or once its total
 * time is over. The reason is what to report, so that no code has to tell the two apart.
 */
import type { AbortSignalLike } from "@safelight/core"

export interface DeadlineOptions {
  readonly timeoutMs: number
  readonly caller: AbortSignalLike | undefined
  /** The reasons. */
  readonly toLate: () => unknown
  readonly toCalledOff: () => unknown
}

export interface Deadline {
  readonly signal: AbortSignal
  /** Clears the timer, and no longer listens to the caller's signal. */
  end(): void
}

export function startDeadline(options: DeadlineOptions): Deadline {
  const { caller, timeoutMs, toCalledOff, toLate } = options
  const controller = new AbortController()
  const callOff = (): void => controller.abort(toCalledOff())
  const timer = setTimeout(() => controller.abort(toLate()), timeoutMs)
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
