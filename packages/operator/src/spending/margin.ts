/** What is left of what accounts were charged; an upper bound if some cost is unknown. */
import type { ChannelOutcomes } from "@safelight/core"

export function toMarginMicros({
  chargeMicros,
  computedMicros,
  toldMicros,
}: Pick<ChannelOutcomes, "chargeMicros" | "computedMicros" | "toldMicros">): number {
  return chargeMicros - toldMicros - computedMicros
}
