/**
 * One channel's place in the routing: how much it can be given now, by what it takes at once, by its
 * breaker, by what it said itself when it had no room, and by whether an operator has paused it.
 */
import type { Channel } from "@safelight/core"
import { createBreaker, type Breaker } from "./breaker.ts"
import type { Route, Slot } from "./routing.ts"
import type { SlotPorts } from "./slot-holding.ts"
import { createSlotPool, type Loan, type SlotPool } from "./slot-pool.ts"

export interface ChannelPlace {
  readonly channel: Channel
  readonly breaker: Breaker
  readonly tier: number
  readonly pool: SlotPool
  /** How many more tasks it can be given now. */
  countFree(): number
  /** Whether it gets nothing new, however much it has. */
  isPaused(): boolean
  setPaused(isPaused: boolean): void
  /** What it works on for this process, for its weight. */
  load(): number
  /** A slot of it; `endCall` is called once, when its call is over or it is let go. */
  toSlot(loan: Loan, because: string, endCall?: () => void): Slot
}

export function createChannelPlace(
  { channel, tier = 1, weight = 1 }: Route,
  ports: SlotPorts,
): ChannelPlace {
  const { clock, settings } = ports
  const { breakerFailures: failures, breakerOpenMs: openMs } = settings
  const breaker = createBreaker({ failures, openMs, monotonicNow: () => clock.monotonicNow() })
  const pool = createSlotPool(ports, {
    pool: `channel:${channel.name}`,
    size: channel.concurrency,
    longestPauseMs: settings.idlePollMs,
  })
  let inFlight = 0
  /** Until when it has no room, on the monotonic clock. */
  let busyUntil = -Infinity
  let isPaused = false

  return {
    channel,
    breaker,
    tier,
    pool,
    countFree() {
      if (isPaused || clock.monotonicNow() < busyUntil) return 0
      return Math.min(pool.countFree(), breaker.room())
    },
    isPaused: () => isPaused,
    setPaused(value) {
      isPaused = value
    },
    load: () => inFlight / weight,
    toSlot(loan, because, endCall = () => {}) {
      inFlight += 1
      let isHeld = true
      return {
        channel,
        breaker,
        because,
        isPaused: () => isPaused,
        pause(durationMs) {
          busyUntil = Math.max(busyUntil, clock.monotonicNow() + durationMs)
        },
        endCall,
        free() {
          if (!isHeld) return
          isHeld = false
          inFlight -= 1
          loan.free()
          endCall()
        },
      }
    },
  }
}
