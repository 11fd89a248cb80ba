/**
 * One rendering in progress or done, which any number of polls may wait on. Its progress only
 * rises; it ends once, and a poll that stops waiting does not stop it.
 *
 *   progress 1 → … → 99 → ended (result, called off, or unavailable)
 */
import type { AbortSignalLike, FailureCode } from "@safelight/core"
import type { Rendered } from "./rendering-job.ts"

export type RenderingEnd =
  | Rendered
  | {
      readonly kind: "refused"
      readonly code: FailureCode
      readonly billed?: { readonly images: number; readonly outputVideoMs: number }
    }
  | { readonly kind: "called-off" }
  /** The machine could not do it now: the next poll begins anew. */
  | { readonly kind: "unavailable" }

export interface Rendering {
  /** Whose it is. */
  readonly account: string
  /** 1 to 99. */
  readonly progress: number
  /** Undefined until it has ended. */
  readonly end: RenderingEnd | undefined
  /** Aborts when the rendering is called off. */
  readonly signal: AbortSignal
  advance(progress: number): void
  finish(end: RenderingEnd): void
  callOff(): void
  /** Resolves once progress is beyond `progress`, the end is there, or `signal` aborts. */
  waitBeyond(progress: number, signal: AbortSignalLike): Promise<void>
}

interface Waiter {
  readonly progress: number
  readonly wake: () => void
}

export function createRendering(account: string): Rendering {
  const controller = new AbortController()
  const waiters = new Set<Waiter>()
  let progress = 1
  let end: RenderingEnd | undefined

  function wake(): void {
    for (const waiter of waiters) {
      if (end !== undefined || progress > waiter.progress) waiter.wake()
    }
  }

  function finish(given: RenderingEnd): void {
    end ??= given
    wake()
  }

  return {
    account,
    get progress() {
      return progress
    },
    get end() {
      return end
    },
    signal: controller.signal,
    advance(next) {
      progress = Math.max(progress, Math.min(99, next))
      wake()
    },
    finish,
    callOff() {
      finish({ kind: "called-off" })
      controller.abort()
    },
    waitBeyond(beyond, signal) {
      if (end !== undefined || progress > beyond || signal.aborted) return Promise.resolve()
      return new Promise((resolve) => {
        const waiter = { progress: beyond, wake: finishWaiting }
        function finishWaiting(): void {
          waiters.delete(waiter)
          signal.removeEventListener("abort", finishWaiting)
          resolve()
        }
        waiters.add(waiter)
        signal.addEventListener("abort", finishWaiting, { once: true })
      })
    },
  }
}
