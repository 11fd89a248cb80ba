/**
 * Who may send how much at a time. Endpoints that took the last message share places that no other endpoint can
 * take: a thousand dead receivers, each holding its place until the time-out, delay each other alone. An account
 * holds at most its share of them: receivers that answer well, but late, hold up their own account alone. Of what
 * waits for a place the first comes first.
 */
import type { WebhookEndpoint } from "@safelight/core"
import type { WebhookSettings } from "./settings.ts"

/** What a process knows of an endpoint that it sends to. */
export interface Line {
  endpoint: WebhookEndpoint
  /** Deliveries that are taken, or being taken. */
  inFlight: number
  /** Whether there may be deliveries to take. */
  isDue: boolean
  isTaking: boolean
  /** Successes since the last failure. */
  successes: number
}

export interface Places {
  /**
   * Takes up to `wanted` places, one or more, for the line. If there is none it waits, and `onFree` is called with
   * it once there is one.
   */
  readonly take: (line: Line, wanted: number) => Taken
}

export interface Taken {
  readonly count: number
  readonly giveBack: (count: number) => void
}

const NONE: Taken = { count: 0, giveBack: () => {} }

export function createPlaces(
  {
    sendsToProven,
    sendsToOthers,
    sendsPerAccount,
  }: Pick<WebhookSettings, "sendsToProven" | "sendsToOthers" | "sendsPerAccount">,
  onFree: (line: Line) => void,
): Places {
  const proven = createPool(sendsToProven, onFree)
  const others = createPool(sendsToOthers, onFree)
  /** By account, while it holds a place or waits for one of its own. */
  const shares = new Map<string, Pool>()

  return {
    take(line, wanted) {
      const { account } = line.endpoint
      const pool = isProven(line) ? proven : others
      const share = shares.get(account) ?? createPool(sendsPerAccount, onFree)
      const count = Math.min(wanted, pool.free(), share.free())
      if (count === 0) {
        const full = share.free() > 0 ? pool : share
        full.await(line)
        return NONE
      }
      shares.set(account, share)
      pool.take(count)
      share.take(count)
      return {
        count,
        giveBack(given) {
          pool.release(given)
          share.release(given)
          if (share.isIdle()) shares.delete(account)
        },
      }
    },
  }
}

interface Pool {
  readonly free: () => number
  readonly take: (count: number) => void
  /** Gives places back, and calls `onFree` for the lines that waited longest. */
  readonly release: (count: number) => void
  readonly await: (line: Line) => void
  /** Whether nobody holds or awaits a place. */
  readonly isIdle: () => boolean
}

function createPool(most: number, onFree: (line: Line) => void): Pool {
  const waiting = new Set<Line>()
  let taken = 0

  return {
    free: () => most - taken,
    take(count) {
      taken += count
    },
    release(count) {
      taken -= count
      for (const line of waiting) {
        if (taken >= most) return
        waiting.delete(line)
        onFree(line)
      }
    },
    await: (line) => void waiting.add(line),
    isIdle: () => taken === 0 && waiting.size === 0,
  }
}

export function isProven({ endpoint }: Line): boolean {
  return endpoint.provenAt > 0 && endpoint.failingSince === 0
}

/** An endpoint gets more at a time with each message that it takes, and one at a time once it fails. */
export function mostInFlight(line: Line, settings: WebhookSettings): number {
  return isProven(line) ? Math.min(settings.sendsPerEndpoint, 1 + line.successes) : 1
}
