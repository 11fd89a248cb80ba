/**
 * Who may send how much at a time. Endpoints that took the last message share permits that no other endpoint
 * can take: a thousand dead receivers, each holding its permit until the time-out, delay each other alone. An account
 * holds at most its share of them: receivers that answer well, but late, delay their own account alone. A host is
 * sent few messages at a time, by all accounts together, half of them to endpoints that have not proven that they
 * take any: webhooks can't be used to flood a third party. Of what waits for a permit the first comes first.
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

export interface Permits {
  /**
   * Takes up to `wanted` permits, one or more, for the line. If there is none it waits: undefined, and `onFree` is
   * called with it once there is one.
   */
  readonly take: (line: Line, wanted: number) => Taken | undefined
}

export interface Taken {
  readonly count: number
  /** Begins one message. */
  readonly begin: () => Sending
  /** So many were not needed. */
  readonly giveBack: (count: number) => void
}

export interface Sending {
  /** Its host may be sent the next one, while this one is recorded. Safe to call twice. */
  readonly answered: () => void
  /** It is over, answered or not. */
  readonly end: () => void
}

export function createPermits(
  {
    sendsToProven,
    sendsToOthers,
    sendsPerAccount,
    sendsPerHost,
  }: Pick<WebhookSettings, "sendsToProven" | "sendsToOthers" | "sendsPerAccount" | "sendsPerHost">,
  onFree: (line: Line) => void,
): Permits {
  const proven = createPool(sendsToProven, onFree)
  const others = createPool(sendsToOthers, onFree)
  const shares = createShares(sendsPerAccount, onFree)
  const hosts = createShares(sendsPerHost, onFree)
  const hostsOfOthers = createShares(Math.ceil(sendsPerHost / 2), onFree)

  return {
    take(line, wanted) {
      const { account, url } = line.endpoint
      const pool = isProven(line) ? proven : others
      const share = shares.of(account)
      const { hostname } = new URL(url)
      const host = hosts.of(hostname)
      const ofHost = isProven(line) ? [host] : [host, hostsOfOthers.of(hostname)]
      const all = [...ofHost, share, pool]
      const count = Math.min(wanted, ...all.map(({ free }) => free()))
      if (count === 0) {
        all.find(({ free }) => free() === 0)?.await(line)
        return undefined
      }
      for (const each of all) each.take(count)
      return {
        count,
        begin: () => beginSending(ofHost, [share, pool]),
        giveBack(given) {
          for (const each of all) each.release(given)
        },
      }
    },
  }
}

function beginSending(ofHost: readonly Pool[], others: readonly Pool[]): Sending {
  let isAnswered = false
  function answered(): void {
    if (isAnswered) return
    isAnswered = true
    for (const each of ofHost) each.release(1)
  }
  return {
    answered,
    end() {
      answered()
      for (const each of others) each.release(1)
    },
  }
}

interface Shares {
  readonly of: (name: string) => Pool
}

/** A pool for each name, as long as a permit of it is held or awaited. */
function createShares(most: number, onFree: (line: Line) => void): Shares {
  const pools = new Map<string, Pool>()
  return {
    of(name) {
      const known = pools.get(name)
      if (known !== undefined) return known
      const pool: Pool = createPool(most, onFree, (isIdle) => {
        if (isIdle) pools.delete(name)
        else pools.set(name, pool)
      })
      return pool
    },
  }
}

interface Pool {
  readonly free: () => number
  readonly take: (count: number) => void
  /** Gives permits back, and calls `onFree` for the lines that waited longest. */
  readonly release: (count: number) => void
  readonly await: (line: Line) => void
}

function createPool(
  most: number,
  onFree: (line: Line) => void,
  /** Called with whether no permit is held or awaited, whenever that may have changed. */
  onUse: (isIdle: boolean) => void = () => {},
): Pool {
  const waiting = new Set<Line>()
  let taken = 0

  return {
    free: () => most - taken,
    take(count) {
      taken += count
      onUse(false)
    },
    release(count) {
      taken -= count
      for (const line of waiting) {
        if (taken >= most) return
        waiting.delete(line)
        onFree(line)
      }
      if (taken === 0 && waiting.size === 0) onUse(true)
    },
    await(line) {
      waiting.add(line)
      onUse(false)
    },
  }
}

export function isProven({ endpoint }: Line): boolean {
  return endpoint.provenAt > 0 && endpoint.failingSince === 0
}

/** An endpoint gets more at a time with each message that it takes, and one at a time once it fails. */
export function mostInFlight(line: Line, settings: WebhookSettings): number {
  return isProven(line) ? Math.min(settings.sendsPerEndpoint, 1 + line.successes) : 1
}
