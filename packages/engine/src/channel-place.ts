/**
 * One channel's place in the routing: how it stands now, by what it takes at once and in a minute, by its
 * breaker, by what it said itself when it had no room, and by whether an operator has paused it.
 */
import type { Channel } from "@safelight/core"
import { createBreaker, type Breaker } from "./breaker.ts"
import { createBreakerNotice, type BreakerNotice } from "./breaker-notice.ts"
import { toRoom, type Standing } from "./choose-channel.ts"
import { createMinute, type MinutePlace } from "./minute.ts"
import type { Route, Slot } from "./routing.ts"
import type { SlotPorts } from "./slot-holding.ts"
import { createSlotPool, type Loan, type SlotPool } from "./slot-pool.ts"

export interface ChannelPlace {
  readonly channel: Channel
  readonly breaker: Breaker
  readonly notice: BreakerNotice
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
  const { clock } = ports
  const breaker = createChannelBreaker(ports)
  const minute = createMinute(ports, channel.name, requestsPerMinute)
  const pool = createChannelPool(ports, channel)
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

  const toSlot = (
    loan: Loan,
    place: MinutePlace | undefined,
    because: string,
    endCall = () => {},
  ): Slot => ({
    channel,
    breaker,
    because,
    isPaused: () => isPaused || !arePausesKnown(),
    pause(durationMs) {
      busyUntil = Math.max(busyUntil, clock.monotonicNow() + durationMs)
    },
    beginCall: () => place?.spend(),
    endCall,
    free: once(() => {
      loan.free()
      place?.free()
      endCall()
    }),
  })

  return {
    channel,
    breaker,
    notice: createBreakerNotice(ports, channel.name, breaker),
    tier,
    weight,
    pools: [pool, ...minute.pools],
    toStanding,
    countFree: () => toRoom(toStanding()),
    isPaused: () => isPaused,
    setPaused: (value) => void (isPaused = value),
    borrow(because) {
      const place = minute.borrow()
      const loan = place && pool.borrow()
      if (loan === undefined) place?.free()
      return loan && toSlot(loan, place, because, breaker.begin())
    },
    join: (because) => toSlot(pool.join(), minute.join(), because),
  }
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}

function createChannelBreaker({ clock, settings }: SlotPorts): Breaker {
  const { breakerFailures: failures, breakerOpenMs: openMs } = settings
  return createBreaker({ failures, openMs, monotonicNow: () => clock.monotonicNow() })
}

function createChannelPool(ports: SlotPorts, { concurrency, name }: Channel): SlotPool {
  const { idlePollMs: longestPauseMs } = ports.settings
  return createSlotPool(ports, { pool: `channel:${name}`, size: concurrency, longestPauseMs })
}
