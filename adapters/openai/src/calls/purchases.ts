/** What this process knows of requests that were bought or refused a moment ago, by their digests. */

/** Refusals that are remembered; the oldest are forgotten first. */
const MOST_REFUSALS = 10_000

export interface Purchases {
  /** Buys at once, so that a repeat that comes meanwhile waits for the same task. */
  begin<Bought>(digest: string, buy: () => Promise<Bought>): Promise<Bought>
  /** The same for a repeat: once nothing is being bought for an equal request, repeats before it among them. */
  queue<Bought>(digest: string, findOrBuy: () => Promise<Bought>): Promise<Bought>
  /** Nothing was bought, and the caller was told so. */
  refuse(digest: string): void
  /** When that was last, Unix time in ms; 0 if it is not known. */
  refusedAt(digest: string): number
}

export function createPurchases(now: () => number): Purchases {
  /** By digest: resolves once all is settled that was begun before. */
  const buying = new Map<string, Promise<unknown>>()
  const refusals = new Map<string, number>()

  function track<Bought>(digest: string, bought: Promise<Bought>): Promise<Bought> {
    const settled = settle(bought, buying.get(digest)).finally(() => {
      if (buying.get(digest) === settled) buying.delete(digest)
    })
    buying.set(digest, settled)
    return bought
  }

  return {
    begin: (digest, buy) => track(digest, buy()),
    queue: (digest, findOrBuy) => track(digest, after(buying.get(digest), findOrBuy)),
    refuse(digest) {
      refusals.delete(digest)
      refusals.set(digest, now())
      const [oldest] = refusals.size > MOST_REFUSALS ? refusals.keys() : []
      if (oldest !== undefined) refusals.delete(oldest)
    },
    refusedAt: (digest) => refusals.get(digest) ?? 0,
  }
}

/** Resolves once both are over, whatever became of them. */
async function settle(...both: readonly unknown[]): Promise<void> {
  await Promise.allSettled(both)
}

async function after<Found>(
  earlier: Promise<unknown> | undefined,
  find: () => Promise<Found>,
): Promise<Found> {
  await earlier
  return find()
}
