/**
 * A semaphore shared fairly between accounts: the next permit goes to the waiting account that holds
 * fewest, and among those to the caller that came first. One further permit is kept for accounts that
 * hold none, so that however much one account sends, the first of one other account goes in at once.
 */
import type { AbortSignalLike } from "./ports/clock.ts"

export interface FairGate {
  /**
   * Resolves to the function that releases the permit, which may be called twice. If `signal` aborts it
   * resolves at once, without a permit; the function then does nothing.
   */
  enter(account: string, signal: AbortSignalLike): Promise<() => void>
}

/** On top of the permits that any account may hold. */
const KEPT_PLACES = 1

interface Waiter {
  readonly account: string
  readonly enter: () => void
}

export function createFairGate(places: number): FairGate {
  const inside = new Map<string, number>()
  let waiting: readonly Waiter[] = []
  let taken = 0

  const count = (account: string): number => inside.get(account) ?? 0
  const hasRoom = (account: string): boolean =>
    taken < (count(account) === 0 ? places + KEPT_PLACES : places)

  function takePlace(account: string): () => void {
    taken += 1
    inside.set(account, count(account) + 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      taken -= 1
      if (count(account) > 1) inside.set(account, count(account) - 1)
      else inside.delete(account)
      admit()
    }
  }

  function admit(): void {
    const able = waiting.filter(({ account }) => hasRoom(account))
    const next = able.toSorted((a, b) => count(a.account) - count(b.account))[0]
    if (next === undefined) return
    remove(next)
    next.enter()
    admit()
  }

  function remove(waiter: Waiter): void {
    waiting = waiting.filter((each) => each !== waiter)
  }

  return {
    enter(account, signal) {
      if (signal.aborted) return Promise.resolve(() => {})
      if (hasRoom(account)) return Promise.resolve(takePlace(account))
      return new Promise((resolve) => {
        const waiter = { account, enter }
        function enter(): void {
          signal.removeEventListener("abort", giveUp)
          resolve(takePlace(account))
        }
        function giveUp(): void {
          remove(waiter)
          resolve(() => {})
        }
        waiting = [...waiting, waiter]
        signal.addEventListener("abort", giveUp, { once: true })
      })
    },
  }
}
