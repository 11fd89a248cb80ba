/**
 * What a hold does to artifacts: those whose time has not passed get more of it. None ever gets less, and
 * what has expired stays so, since its bytes may be gone.
 */
import type { ManifestEntry } from "./events.ts"

type Entries = readonly ManifestEntry[]

/** Whether a hold at `at` keeps any of them longer; both are ms. */
export function keepsLonger(artifacts: Entries, until: number, at: number): boolean {
  return artifacts.some(({ expiresAt }) => expiresAt > at && expiresAt < until)
}

export function holdUntil(artifacts: Entries, until: number, at: number): ManifestEntry[] {
  return artifacts.map((entry) =>
    entry.expiresAt > at && entry.expiresAt < until ? { ...entry, expiresAt: until } : entry,
  )
}
