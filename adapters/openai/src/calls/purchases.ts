/** What this process knows of requests that were bought or refused a moment ago, by their digests. */

/** Refusals that are remembered; the oldest are forgotten first. */
const MOST_REFUSALS = 10_000

export interface Purchases {
  /** Buys, so that a repeat that comes meanwhile waits for the same task. */
  begin<Bought>(digest: string, buy: () => Promise<Bought>): Promise<Bought>
  /** Resolves once nothing is being bought for an equal request. */
  settled(digest: string): Promise<void>
  /** Nothing was bought, and the caller was told so. */
  refuse(digest: string): void
  /** When that was last, Unix time in ms; 0 if it is not known. */
  refusedAt(digest: string): number
}

export function createPurchases(now: () => number): Purchases {
  const buying = new Map<string, Promise<unknown>>()
  const refusals = new Map<string, number>()
  return {
    async begin(digest, buy) {
      const bought = buy()
      buying.set(digest, bought)
      try {
        return await bought
      } finally {
        if (buying.get(digest) === bought) buying.delete(digest)
      }
    },
    async settled(digest) {
      await buying.get(digest)?.catch(() => undefined)
    },
    refuse(digest) {
      refusals.delete(digest)
      refusals.set(digest, now())
      const [oldest] = refusals.size > MOST_REFUSALS ? refusals.keys() : []
      if (oldest !== undefined) refusals.delete(oldest)
    },
    refusedAt: (digest) => refusals.get(digest) ?? 0,
  }
}
