/** The outcomes of the attempts that ended in the last day, by channel and model. */
import type { ChannelOutcomes, Storage } from "@safelight/core"

const DAY_MS = 86_400_000

export function sumLastDay(
  storage: Pick<Storage, "sumOutcomes">,
  now = Date.now(),
): Promise<readonly ChannelOutcomes[]> {
  // The clocks of nodes may be ahead of this one.
  return storage.sumOutcomes({ from: now - DAY_MS, to: Number.MAX_SAFE_INTEGER })
}
