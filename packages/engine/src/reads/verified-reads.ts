/**
 * Which stored bytes were read whole lately and were what the log says. A storage that can tell that bytes were
 * written again gives them a version: as long as it is the same, what was hashed is not hashed again for ten
 * minutes, so that many readers of one film cost one hash.
 */
import { createBoundedCache, type Clock } from "@safelight/core"

export interface VerifiedReads {
  /** Whether bytes of this version were found to be right less than ten minutes ago. */
  has(locator: string, version: string): boolean
  note(locator: string, version: string): void
}

/** Long enough for a film that many look at, short enough that a disk that forgets is found out. */
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
