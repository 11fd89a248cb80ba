/**
 * What the engine must know of an account to give its tasks their places: read now and then, and
 * otherwise remembered. A storage that fails is no reason to refuse a task, so the last that was
 * known holds then, or what holds for everybody.
 */
import { createBoundedCache, isSafelightError, NO_LIMITS, type Account } from "@safelight/core"
import type { Ports } from "../host/ports.ts"

export type AccountSettings = Pick<Account, "runningTasks" | "weight">

export interface AccountSettingsReader {
  /** The account's settings where it was read lately. */
  known(account: string): AccountSettings | undefined
  /** Reads it where it was not; never rejects for the storage's sake. */
  find(account: string): Promise<AccountSettings>
}

interface Reading {
  readonly settings: AccountSettings
  readonly readAt: number
}

/** A changed setting holds within this, and a busy account costs one read in it. */
const FRESH_MS = 10_000

/** Accounts remembered: a few hundred bytes each. */
const REMEMBERED = 10_000

export function createAccountSettings({
  clock,
  log,
  storage,
}: Pick<Ports, "clock" | "log" | "storage">): AccountSettingsReader {
  const readings = createBoundedCache<Reading>(REMEMBERED)
  const underWay = new Map<string, Promise<AccountSettings>>()

  async function read(account: string): Promise<AccountSettings> {
    let settings: AccountSettings = readings.get(account)?.settings ?? NO_LIMITS
    try {
      const { runningTasks, weight } = (await storage.findAccount(account)) ?? NO_LIMITS
      settings = { runningTasks, weight }
    } catch (error) {
      if (!isSafelightError(error)) throw error
      log.warn({ account, error }, "account settings not read")
    } finally {
      underWay.delete(account)
    }
    readings.set(account, { settings, readAt: clock.monotonicNow() })
    return settings
  }

  function known(account: string): AccountSettings | undefined {
    const reading = readings.get(account)
    const isFresh = reading !== undefined && clock.monotonicNow() - reading.readAt < FRESH_MS
    return isFresh ? reading.settings : undefined
  }

  return {
    known,
    find(account) {
      const settings = known(account)
      if (settings !== undefined) return Promise.resolve(settings)
      const reading = underWay.get(account) ?? read(account)
      underWay.set(account, reading)
      return reading
    },
  }
}
