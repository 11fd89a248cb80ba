/**
 * Which stored bytes were lately read whole and had the hash of the log. A storage that can detect writes gives bytes
 * a version. While the version stays the same, bytes are not hashed again for ten minutes, so that many readers
 * of one film cost one hash.
 */
import { createBoundedCache, type Clock } from "@safelight/core"

export interface VerifiedReads {
  /** Whether bytes of this version were found to be right less than ten minutes ago. */
  has(locator: string, version: string): boolean
  note(locator: string, version: string): void
}

/** Long enough for a film with many viewers, short enough that decay on a disk is detected. */
const GOOD_FOR_MS = 600_000
const KNOWN = 1_000

interface Verified {
  readonly version: string
  readonly until: number
}

export function createVerifiedReads({ monotonicNow }: Pick<Clock, "monotonicNow">): VerifiedReads {
  const known = createBoundedCache<Verified>(KNOWN)
  return {
    has(locator, version) {
      const verified = known.get(locator)
      return verified?.version === version && verified.until > monotonicNow()
    },
    note: (locator, version) =>
      known.set(locator, { version, until: monotonicNow() + GOOD_FOR_MS }),
  }
}
