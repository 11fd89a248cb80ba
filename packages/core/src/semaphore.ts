/**
 * A semaphore: it bounds how much work is done at a time. Work is admitted in the order in which it asked,
 * and work that is heavier than all permits is done alone.
 */
import type { AbortSignalLike } from "./ports/clock.ts"
import { SafelightError } from "./errors/safelight-error.ts"

export interface Semaphore {
  /**
   * Resolves once `weight` permits are free, to the function that gives them back; calling it twice is
   * safe. Resolves to undefined if `signal` aborts before. Rejects with `overloaded` if too many wait.
   */
  acquire(options?: AcquireOptions): Promise<(() => void) | undefined>
  /** Calls `work` with `weight` permits and settles as it does. Rejects with `overloaded` as `acquire` does. */
  run<Result>(
    work: () => Promise<Result>,
    options?: Pick<AcquireOptions, "weight">,
  ): Promise<Result>
}

export interface AcquireOptions {
  /** 1 by default. */
  readonly weight?: number
  readonly signal?: AbortSignalLike
}

export interface SemaphoreOptions {
  /** The sum of all weights at a time. */
  readonly permits: number
  /** How many may wait; any number by default. */
  readonly mostWaiting?: number
  /** The name of what waits, for the error. */
  readonly name: string
}

interface Waiter {
  readonly weight: number
  readonly enter: () => void
}

export function createSemaphore(options: SemaphoreOptions): Semaphore {
  const { permits, mostWaiting = Infinity, name } = options
  const waiting = new Set<Waiter>()
  let taken = 0

  const fits = (weight: number): boolean => taken === 0 || taken + weight <= permits

  function take(weight: number): () => void {
    taken += weight
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      taken -= weight
      admit()
    }
  }

  function admit(): void {
    for (const waiter of waiting) {
      if (!fits(waiter.weight)) return
      waiting.delete(waiter)
      waiter.enter()
    }
  }

  async function acquire({ weight = 1, signal }: AcquireOptions = {}) {
    if (signal?.aborted === true) return undefined
    if (waiting.size === 0 && fits(weight)) return take(weight)
    if (waiting.size >= mostWaiting) throw overloaded(name)
    return new Promise<(() => void) | undefined>((resolve) => {
      const waiter = { weight, enter }
      function enter(): void {
        signal?.removeEventListener("abort", giveUp)
        resolve(take(weight))
      }
      function giveUp(): void {
        waiting.delete(waiter)
        resolve(undefined)
        // This one may have been too heavy, and have kept lighter ones waiting.
        admit()
      }
      waiting.add(waiter)
      signal?.addEventListener("abort", giveUp, { once: true })
    })
  }

  return {
    acquire,
    async run(work, weighed) {
      const release = await acquire(weighed)
      try {
        return await work()
      } finally {
        release?.()
      }
    },
  }
}

function overloaded(name: string): SafelightError {
  return new SafelightError({
    code: "overloaded",
    message: `too many ${name} wait`,
    retryable: true,
  })
}
