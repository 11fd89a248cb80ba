/** How long a process goes by what it saw of pauses: one that can't look any more must not buy on. */
import type { Ports } from "../ports.ts"

/**
 * What was seen of pauses counts for so long, or for some looks where these are rare: whoever can't look
 * for longer begins nothing new.
 */
const PAUSES_KNOWN_MS = 15_000
const PAUSES_KNOWN_LOOKS = 5

export interface PauseKnowledge {
  readonly areKnown: () => boolean
  readonly note: () => void
}

export function createPauseKnowledge({
  clock,
  settings: { idlePollMs },
}: Pick<Ports, "clock" | "settings">): PauseKnowledge {
  const knownMs = Math.max(PAUSES_KNOWN_MS, idlePollMs * PAUSES_KNOWN_LOOKS)
  let knownUntil = -Infinity
  return {
    areKnown: () => clock.monotonicNow() < knownUntil,
    note() {
      knownUntil = clock.monotonicNow() + knownMs
    },
  }
}
