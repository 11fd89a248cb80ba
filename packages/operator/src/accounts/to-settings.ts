/**
 * The settings that a change makes of those that an account has. Rates are one member of what is stored: those that
 * are not given keep their values.
 */
import type { AccountSettings, SettingsChange } from "@safelight/core"

export function toSettings(
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
