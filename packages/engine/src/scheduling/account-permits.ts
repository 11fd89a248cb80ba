/**
 * How many tasks of an account run at once, over all nodes: each process has its fair share of the account's
 * `runningTasks`. What works is counted for every account, so that a limit that is set later holds for it
 * too; limits are learned from the tasks themselves and read again together, so that a thousand full
 * accounts cost one question. An account that has many videos measured here begins nothing more meanwhile.
 */
import { toPoolNumber, type Pool } from "@safelight/core"
import type { Ports } from "../host/ports.ts"
import { sha256 } from "../host/sha256.ts"
import type { Measuring } from "../media/measuring.ts"
import type { FairShares } from "./fair-shares.ts"
import { createPermits, type Permit, type Permits } from "./permits.ts"

export interface AccountPermits {
  /** A permit for a new task; undefined if none is free here. `limit`: of the account, as just read. */
  tryAcquire(account: string, limit: number | null): Permit | undefined
  /** A permit for work that is under way already. */
  join(account: string, limit: number | null): Permit
  isLimited(account: string): boolean
  /** How many new tasks may be taken, of each account that has a limit here or may take none. */
  listFree(): ReadonlyMap<string, number>
  /** Reads the limits again if that is due. Rejects where the storage fails. */
  refresh(): Promise<void>
}

interface Entry {
  limit: number | null
  readonly permits: Permits
}

const toAccountPool = (account: string): string => `account:${account}`

/** The pool that a storage keeps with a new task. None of an account that may run nothing: its limit may be raised. */
export function toQueuePool(account: string, limit: number | null): Pool | undefined {
  if (limit === null || limit === 0) return undefined
  return { size: limit, number: toPoolNumber(toAccountPool(account), sha256) }
}

/** A changed limit holds within this where nothing else shows it. */
const FRESH_MS = 10_000

export function createAccountPermits(
  { clock, storage }: Pick<Ports, "clock" | "storage">,
  shares: Pick<FairShares, "of" | "ofSeen" | "track">,
  measuring: Pick<Measuring, "countFree">,
): AccountPermits {
  const entries = new Map<string, Entry>()
  let readAt = clock.monotonicNow()

  function create(account: string): Entry {
    const entry: Entry = {
      limit: null,
      permits: createPermits(shares, {
        name: toAccountPool(account),
        toSize: () => entry.limit ?? Infinity,
      }),
    }
    entries.set(account, entry)
    return entry
  }

  function find(account: string, limit: number | null): Entry {
    const entry = entries.get(account) ?? create(account)
    entry.limit = limit
    return entry
  }

  /** Those that nothing works for, but for those that may run nothing: their tasks would be taken again. */
  function forget(): void {
    for (const [account, { limit, permits }] of entries) {
      if (permits.countUsed() > 0 || limit === 0) continue
      permits.close()
      entries.delete(account)
    }
  }

  return {
    tryAcquire(account, limit) {
      const { permits } = find(account, limit)
      return measuring.countFree(account) > 0 ? permits.tryAcquire() : undefined
    },
    join: (account, limit) => find(account, limit).permits.join(),
    isLimited: (account) => (entries.get(account)?.limit ?? null) !== null,
    listFree() {
      const free = new Map<string, number>()
      for (const [account, { permits }] of entries) {
        const count = Math.min(permits.countFree(), measuring.countFree(account))
        if (count !== Infinity) free.set(account, count)
      }
      return free
    },
    async refresh() {
      if (clock.monotonicNow() < readAt + FRESH_MS) return
      readAt = clock.monotonicNow()
      forget()
      if (entries.size === 0) return
      for (const [account, limit] of await storage.findRunningLimits([...entries.keys()])) {
        const entry = entries.get(account)
        if (entry !== undefined) entry.limit = limit
      }
    },
  }
}
