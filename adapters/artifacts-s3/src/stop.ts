/**
 * What ends a put: the caller's signal, or the first failure of a part that is sent while the body
 * is read. Whichever came first is the signal's reason, and the error of the put.
 */
import type { AbortSignalLike } from "@safelight/core"
import { createAborted } from "./storage-failure.ts"

export interface Stop {
  readonly signal: AbortSignal
  /** The first reason stays. */
  because(reason: unknown): void
  /** Lets go of the caller's signal. */
  release(): void
}

export function createStop(caller: AbortSignalLike | undefined): Stop {
  const controller = new AbortController()
  const callOff = (): void => controller.abort(createAborted())
  caller?.addEventListener("abort", callOff, { once: true })
  if (caller?.aborted === true) callOff()
  return {
    signal: controller.signal,
    because: (reason) => controller.abort(reason),
    release: () => caller?.removeEventListener("abort", callOff),
  }
}
