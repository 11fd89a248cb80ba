/**
 * One channel's place in the routing: how it stands now, by what it takes at once and in a minute, by its
 * breaker, by what it said itself when it had no room, and by whether an operator has paused it.
 */
import type { Channel } from "@safelight/core"
import { createBreaker, type Breaker } from "./breaker.ts"
import { toRoom, type Standing } from "./choose-channel.ts"
import { createMinute, type Requests } from "./minute.ts"
import { createPermits, type Permit, type Permits } from "./permits.ts"
import type { ChannelPermit, Route, RoutingPorts } from "./routing.ts"

export interface ChannelPlace {
  readonly channel: Channel
  readonly breaker: Breaker
  readonly tier: number
  readonly weight: number
  toStanding(): Standing
  /** How many more tasks it can be given now. */
  countFree(): number
  /** Whether an operator has paused it. */
  isPaused(): boolean
  setPaused(isPaused: boolean): void
  /** A permit for a new attempt; undefined where it has no room. */
  tryAcquire(because: string): ChannelPermit | undefined
  /** A permit for work that is under way there, also beyond its limits. */
  join(because: string): ChannelPermit
}

export function createChannelPlace(
  { channel, requestsPerMinute = channel.requestsPerMinute, tier = 1, weight = 1 }: Route,
  ports: RoutingPorts,
  /** Whether it is known which channels are paused: if not, nothing new is begun. */
  arePausesKnown: () => boolean,
): ChannelPlace {
  const { clock } = ports
  const breaker = createChannelBreaker(ports)
  const minute = createMinute(ports, channel.name, requestsPerMinute)
  const permits = createChannelPermits(ports, channel)
  /** Until when it has no room, on the monotonic clock. */
  let busyUntil = -Infinity
  let isPaused = false

  const toStanding = (): Standing => ({
    isPaused: isPaused || !arePausesKnown(),
    isBusy: clock.monotonicNow() < busyUntil,
    breaker: breaker.state(),
    freePermits: permits.countFree(),
    freeRequests: minute.countFree(),
  })

  const toChannelPermit = (
    permit: Permit,
    requests: Requests | undefined,
    because: string,
    endCall = () => {},
  ): ChannelPermit => ({
    channel,
    breaker,
    because,
    isPaused: () => isPaused || !arePausesKnown(),
    pause(durationMs) {
      busyUntil = Math.max(busyUntil, clock.monotonicNow() + durationMs)
    },
    beginCall: () => requests?.spend(),
    endCall,
    release: once(() => {
      permit.release()
      requests?.release()
      endCall()
    }),
  })

  return {
    channel,
    breaker,
    tier,
    weight,
    toStanding,
    countFree: () => toRoom(toStanding()),
    isPaused: () => isPaused,
    setPaused: (value) => void (isPaused = value),
    tryAcquire(because) {
      const requests = minute.tryAcquire()
      const permit = requests && permits.tryAcquire()
      if (permit === undefined) requests?.release()
      return permit && toChannelPermit(permit, requests, because, breaker.begin())
    },
    join: (because) => toChannelPermit(permits.join(), minute.join(), because),
  }
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (!isDone) act()
    isDone = true
  }
}

function createChannelBreaker({ clock, settings }: RoutingPorts): Breaker {
  const { breakerFailures: failures, breakerOpenMs: openMs } = settings
  return createBreaker({ failures, openMs, monotonicNow: () => clock.monotonicNow() })
}

function createChannelPermits({ shares }: RoutingPorts, channel: Channel): Permits {
  const { concurrency, name } = channel
  return createPermits(shares, {
    name: `channel:${name}`,
    toSize: () => concurrency,
    channel: name,
  })
}
