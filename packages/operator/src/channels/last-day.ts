/** How the attempts ended that ended in the last day. */
import type { ChannelOutcomes, Storage } from "@safelight/core"

const DAY_MS = 86_400_000

/** Sums of one channel; money in micro-units. */
export interface DaySums {
  readonly succeeded: number
  readonly failed: number
  readonly chargeMicros: number
  /** US dollars, as reported by providers, and by unit prices. */
  readonly toldMicros: number
  readonly computedMicros: number
  /** Attempts whose cost is unknown. */
  readonly unknown: number
  /** From the request to the end, of those that succeeded; 0 if none did. */
  readonly meanMs: number
  readonly longestMs: number
}

/** By channel and model. */
export function sumLastDay(
  storage: Pick<Storage, "sumOutcomes">,
  now: number,
): Promise<readonly ChannelOutcomes[]> {
  // The clocks of nodes may be ahead of this one.
  return storage.sumOutcomes({ from: now - DAY_MS, to: Number.MAX_SAFE_INTEGER })
}

export function toDaySums(name: string, outcomes: readonly ChannelOutcomes[]): DaySums {
  const own = outcomes.filter(({ channel }) => channel === name)
  const sum = (field: Exclude<keyof ChannelOutcomes, "channel" | "model">): number =>
    own.reduce((total, each) => total + each[field], 0)
  const succeeded = sum("succeeded")
  return {
    succeeded,
    failed: sum("failed"),
    chargeMicros: sum("chargeMicros"),
    toldMicros: sum("toldMicros"),
    computedMicros: sum("computedMicros"),
    unknown: sum("unknown"),
    meanMs: succeeded === 0 ? 0 : Math.round(sum("succeededMs") / succeeded),
    longestMs: Math.max(0, ...own.map(({ longestMs }) => longestMs)),
  }
}
