/**
 * Permits: the right to occupy a channel or an account once. This process may have as many as its fair share
 * is at the moment, so acquiring one asks nobody. Work that is under way already joins, also beyond the
 * share; nothing new begins then until it fits again.
 */

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
}

export function createPermits(toShare: () => number): Permits {
  let used = 0

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

  const countFree = (): number => Math.max(0, toShare() - used)
  return {
    countFree,
    countUsed: () => used,
    tryAcquire: () => (countFree() > 0 ? join() : undefined),
    join,
  }
}
