/**
 * What `accounts set` and the operator's API do to an account. Rates are one member of what is stored: those that
 * are not given keep their values.
 */
import {
  NO_LIMITS,
  type Account,
  type AccountSettings,
  type SettingsChange,
  type Storage,
} from "@safelight/core"
import type { AccountDefaults } from "../configuration/account-defaults.ts"

export interface AccountChanging {
  readonly storage: Pick<Storage, "findAccount" | "setAccount">
  readonly id: string
  /** Milliseconds since the Unix epoch. */
  readonly now: number
  /** Of an account that is new. */
  readonly defaults: AccountDefaults
  /** Called first if the account is new. */
  readonly onNew?: () => void
}

/** Durable once resolved; rejects as the storage does. */
export async function changeAccount(
  { storage, id, now, defaults, onNew }: AccountChanging,
  change: SettingsChange,
): Promise<Account> {
  const before = await storage.findAccount(id)
  if (before === undefined) onNew?.()
  const settings = toSettings(change, before ?? { ...NO_LIMITS, ...defaults }, now)
  const made = before === undefined ? defaults : {}
  return storage.setAccount({ id, now, settings: { ...made, ...settings } })
}

function toSettings(
  { rates, isSuspended, ...others }: SettingsChange,
  before: AccountSettings,
  now: number,
): Partial<AccountSettings> {
  return {
    ...others,
    ...(rates && { rates: { ...before.rates, ...rates } }),
    ...(isSuspended !== undefined && {
      suspendedAt: isSuspended ? before.suspendedAt || now : 0,
    }),
  }
}
