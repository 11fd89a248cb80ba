/**
 * Tells the storage that this process leaves a channel alone, so that whoever lists the channels sees it:
 * a breaker that is not closed holds a slot of a pool of its own, which ends with the process as all its
 * slots do. Nobody decides anything by it.
 */
import type { Breaker } from "./breaker.ts"
import { createSlotHolding, type SlotPorts } from "./slot-holding.ts"

/** As many of its slots are held as processes leave the channel alone. */
export function toBreakerPool(channel: string): string {
  return `breaker:${channel}`
}

export interface BreakerNotice {
  /** Says it where it changed. Rejects where the storage fails. */
  tend(): Promise<void>
  /** Says it again, as part of a renewal. Rejects where the storage fails. */
  repeat(): Promise<void>
}

/** More than there ever are processes. */
const MOST_PROCESSES = 1_000_000

export function createBreakerNotice(
  ports: SlotPorts,
  channel: string,
  breaker: Pick<Breaker, "state">,
): BreakerNotice {
  const holding = createSlotHolding(ports, toBreakerPool(channel), MOST_PROCESSES)
  const toCount = (): number => (breaker.state() === "closed" ? 0 : 1)
  return {
    async tend() {
      if (holding.most() !== toCount()) await holding.hold(toCount)
    },
    async repeat() {
      if (!holding.isEmpty()) await holding.hold(toCount)
    },
  }
}
