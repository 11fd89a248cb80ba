/**
 * What the engine must know of an account to give its tasks their turns: read now and then, and
 * otherwise remembered. A storage that fails is no reason to refuse a task, so the last that was
 * known holds then, or what holds for everybody.
 */
import { createBoundedCache, isSafelightError, NO_LIMITS, type Account } from "@safelight/core"
import type { Ports } from "./ports.ts"

export type AccountShare = Pick<Account, "runningTasks" | "weight">

export interface AccountShares {
  /** The account's share where it was read lately. */
  known(account: string): AccountShare | undefined
  /** Reads it where it was not; never rejects for the storage's sake. */
  find(account: string): Promise<AccountShare>
}

interface Reading {
  readonly share: AccountShare
  readonly readAt: number
}

/** A changed setting holds within this, and a busy account costs one read in it. */
const FRESH_MS = 10_000

/** Accounts remembered: a few hundred bytes each. */
const REMEMBERED = 10_000

export function createAccountShares({
  clock,
  log,
  storage,
}: Pick<Ports, "clock" | "log" | "storage">): AccountShares {
  const readings = createBoundedCache<Reading>(REMEMBERED)
  const underWay = new Map<string, Promise<AccountShare>>()

  async function read(account: string): Promise<AccountShare> {
    let share: AccountShare = readings.get(account)?.share ?? NO_LIMITS
    try {
      const { runningTasks, weight } = (await storage.findAccount(account)) ?? NO_LIMITS
      share = { runningTasks, weight }
    } catch (error) {
      if (!isSafelightError(error)) throw error
      log.warn({ account, error }, "account settings not read")
    } finally {
      underWay.delete(account)
    }
    readings.set(account, { share, readAt: clock.monotonicNow() })
    return share
  }

  function known(account: string): AccountShare | undefined {
    const reading = readings.get(account)
    const isFresh = reading !== undefined && clock.monotonicNow() - reading.readAt < FRESH_MS
    return isFresh ? reading.share : undefined
  }

  return {
    known,
    find(account) {
      const share = known(account)
      if (share !== undefined) return Promise.resolve(share)
      const reading = underWay.get(account) ?? read(account)
      underWay.set(account, reading)
      return reading
    },
  }
}
