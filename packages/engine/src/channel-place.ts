/**
 * One channel's place in the routing: how it stands now, by what it takes at once and in a minute, by its
 * breaker, by what it said itself when it had no room, and by whether an operator has paused it.
 */
import type { Channel } from "@safelight/core"
import { createBreaker, type Breaker } from "./breaker.ts"
import { toRoom, type Standing } from "./choose-channel.ts"
import { createMinute, type MinutePlace } from "./minute.ts"
import type { Route, Slot } from "./routing.ts"
import type { SlotPorts } from "./slot-holding.ts"
import { createSlotPool, type Loan, type SlotPool } from "./slot-pool.ts"

export interface ChannelPlace {
  readonly channel: Channel
  readonly breaker: Breaker
  readonly tier: number
  readonly weight: number
  /** What it takes at once, and in a minute where that is bounded. */
  readonly pools: readonly SlotPool[]
  toStanding(): Standing
  /** How many more tasks it can be given now. */
  countFree(): number
  /** Whether an operator has paused it. */
  isPaused(): boolean
  setPaused(isPaused: boolean): void
  /** A slot for a new attempt; undefined where it has no room. */
  borrow(because: string): Slot | undefined
  /** A slot for work that is under way there, also beyond its limits. */
  join(because: string): Slot
}

export function createChannelPlace(
  { channel, requestsPerMinute = channel.requestsPerMinute, tier = 1, weight = 1 }: Route,
  ports: SlotPorts,
  /** Whether it is known which channels are paused: if not, nothing new is begun. */
  arePausesKnown: () => boolean,
): ChannelPlace {
  const { clock, settings } = ports
  const { breakerFailures: failures, breakerOpenMs: openMs } = settings
  const breaker = createBreaker({ failures, openMs, monotonicNow: () => clock.monotonicNow() })
  const minute = createMinute(ports, channel.name, requestsPerMinute)
  const pool = createSlotPool(ports, {
    pool: `channel:${channel.name}`,
    size: channel.concurrency,
    longestPauseMs: settings.idlePollMs,
  })
  /** Until when it has no room, on the monotonic clock. */
  let busyUntil = -Infinity
  let isPaused = false

  const toStanding = (): Standing => ({
    isPaused: isPaused || !arePausesKnown(),
    isBusy: clock.monotonicNow() < busyUntil,
    breaker: breaker.state(),
    freeSlots: pool.countFree(),
    freeRequests: minute.countFree(),
  })

  function toSlot(loan: Loan, place: MinutePlace, because: string, endCall = () => {}): Slot {
    let isHeld = true
    return {
      channel,
      breaker,
      because,
      isPaused: () => isPaused || !arePausesKnown(),
      pause(durationMs) {
        busyUntil = Math.max(busyUntil, clock.monotonicNow() + durationMs)
      },
      beginCall: () => place.spend(),
      endCall,
      free() {
        if (!isHeld) return
        isHeld = false
        loan.free()
        place.free()
        endCall()
      },
    }
  }

  return {
    channel,
    breaker,
    tier,
    weight,
    pools: [pool, ...minute.pools],
    toStanding,
    countFree: () => toRoom(toStanding()),
    isPaused: () => isPaused,
    setPaused(value) {
      isPaused = value
    },
    borrow(because) {
      const place = minute.borrow()
      if (place === undefined) return undefined
      const loan = pool.borrow()
      if (loan !== undefined) return toSlot(loan, place, because, breaker.begin())
      place.free()
      return undefined
    },
    join: (because) => toSlot(pool.join(), minute.join(), because),
  }
}
