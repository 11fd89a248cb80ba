/**
 * Permits: the right to occupy a channel or an account once. This process may have as many as its fair share
 * is at the moment, so acquiring one asks nobody. Work that is under way already joins, also beyond the
 * share; nothing new begins then until it fits again, and the others learn of the excess.
 */
import type { FairShares } from "./fair-shares.ts"

/** A permit in use. Releasing it twice is the same as once. */
export interface Permit {
  release(): void
}

export interface Permits {
  countFree(): number
  countUsed(): number
  /** A permit for new work; undefined if none is free. */
  tryAcquire(): Permit | undefined
  /** A permit for work that is under way already. */
  join(): Permit
  /** They are used no more: none of them is in use. */
  close(): void
}

export interface Pool {
  readonly name: string
  /** How many permits there are over all processes; Infinity for any number. */
  readonly toSize: () => number
  /** Of a channel's pool, the channel. */
  readonly channel?: string
}

export function createPermits(
  shares: Pick<FairShares, "of" | "ofSeen" | "track">,
  pool: Pool,
): Permits {
  const { channel, name, toSize } = pool
  let used = 0

  function countExcess(): number {
    const size = toSize()
    return size === Infinity ? 0 : Math.max(0, used - shares.ofSeen(name, size, channel))
  }

  function join(): Permit {
    let isUsed = true
    used += 1
    return {
      release() {
        if (isUsed) used -= 1
        isUsed = false
      },
    }
  }

  function countFree(): number {
    const size = toSize()
    const share = size === Infinity ? size : shares.of(name, size, channel)
    return Math.max(0, share - used)
  }

  const close = shares.track(name, countExcess)
  return {
    countFree,
    countUsed: () => used,
    tryAcquire: () => (countFree() > 0 ? join() : undefined),
    join,
    close,
  }
}
