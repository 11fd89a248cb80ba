/**
 * Every number that a host may change, each with its reason.
 * Durations are milliseconds, as the names say.
 */
import { withDefaults, type Settings } from "@safelight/core"

export const DEFAULTS = {
  /** Verified keys remembered, and as many wrong ones; at most twice as many of each. */
  cachedKeys: 10_000,
  /** How long a key is cached after it was read: a revocation holds within one second. */
  keyCacheMs: 1_000,
  /** Unknown keys looked up at a time, and links; a storage answers thousands a second so. */
  lookupsAtOnce: 16,
  /** How many more of each may wait; one more is refused as overloaded. */
  lookupsWaiting: 1_000,
  /** Links remembered as signed by us, about 200 bytes each; at most twice as many. */
  cachedLinks: 10_000,
  /** Rates counted in memory; one that is forgotten forfeits what it had leased. */
  cachedRates: 10_000,
} as const

export type AccessSettings = Settings<typeof DEFAULTS>

/** The defaults with a host's own numbers. Throws `invalid-configuration`, naming the setting. */
export function toSettings(given?: Partial<AccessSettings>): AccessSettings {
  return withDefaults(DEFAULTS, given, "of access")
}
