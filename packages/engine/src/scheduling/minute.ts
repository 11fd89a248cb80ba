/**
 * How often a channel may be asked in any minute, over all nodes: a request uses one of as many permits up
 * for a minute, whatever comes of it. A process that stops in good order leaves its share to others at
 * once, so that a minute with a restart in it can see more; what the channel then turns away costs nothing.
 *
 *   acquired ─sent→ spent for a minute → free      acquired ─nothing sent→ free
 */
import type { Clock } from "@safelight/core"
import type { FairShares } from "./fair-shares.ts"
import { createPermits, type Permit } from "./permits.ts"
import type { RoutingPorts } from "./routing.ts"

export interface Minute {
  countFree(): number
  /** For the first request of a task; undefined where the minute is full. */
  tryAcquire(): Requests | undefined
  /** For work that is under way, which does not wait. */
  join(): Requests
}

export interface Requests {
  /** A request leaves now: each counts. */
  spend(): void
  /** No more requests will. */
  release(): void
}

const MINUTE_MS = 60_000

const ANY_REQUESTS: Requests = { spend() {}, release() {} }

const UNBOUNDED: Minute = {
  countFree: () => Infinity,
  tryAcquire: () => ANY_REQUESTS,
  join: () => ANY_REQUESTS,
}

export function createMinute(
  { clock, shares }: Pick<RoutingPorts, "clock" | "shares">,
  channel: string,
  requestsPerMinute: number | undefined,
): Minute {
  if (requestsPerMinute === undefined) return UNBOUNDED
  const ofNow = createGrowingShare(clock, shares)
  const permits = createPermits(
    { ...shares, of: (...asked) => ofNow(shares.of(...asked)) },
    { name: `minute:${channel}`, toSize: () => requestsPerMinute, channel },
  )
  /** Oldest first. */
  const spent: { readonly freeAt: number; readonly permit: Permit }[] = []

  function freeSpent(): void {
    const now = clock.monotonicNow()
    while (spent[0] !== undefined && spent[0].freeAt <= now) spent.shift()?.permit.release()
  }

  function toRequests(acquired: Permit | undefined): Requests {
    let unspent = acquired
    return {
      spend() {
        const permit = unspent ?? permits.join()
        unspent = undefined
        spent.push({ freeAt: clock.monotonicNow() + MINUTE_MS, permit })
      },
      release() {
        unspent?.release()
        unspent = undefined
      },
    }
  }

  return {
    countFree() {
      freeSpent()
      return permits.countFree()
    },
    tryAcquire() {
      freeSpent()
      const permit = permits.tryAcquire()
      return permit && toRequests(permit)
    },
    join: () => toRequests(undefined),
  }
}

/**
 * A share that grew counts a minute later: others may have spent what it grew by. One that was there from the
 * beginning, without others, counts at once.
 */
function createGrowingShare(
  clock: Clock,
  shares: Pick<FairShares, "beganAlone">,
): (share: number) => number {
  let counted = 0
  let grown: { readonly share: number; readonly at: number } | undefined
  let hasBegun = false
  return (share) => {
    const now = clock.monotonicNow()
    if (share > 0 && !hasBegun) {
      hasBegun = true
      if (shares.beganAlone()) counted = share
    }
    if (share <= counted) {
      // While the lease may have expired it is 0, and what comes back is what was there.
      if (share > 0) counted = share
      grown = undefined
      return share
    }
    grown = { share: Math.min(grown?.share ?? share, share), at: grown?.at ?? now }
    if (now < grown.at + MINUTE_MS) return counted
    counted = grown.share
    grown = undefined
    return counted
  }
}
