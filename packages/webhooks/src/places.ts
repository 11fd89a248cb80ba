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
  readonly free: () => number
  readonly take: (count: number) => void
  /** Gives back one or more; resolves nothing, but calls `onFree` for the lines that waited longest. */
  readonly release: (count: number) => void
  /** Calls `onFree` with the line once there is a place. */
  readonly await: (line: Line) => void
  /** Whether nobody holds or awaits a place. */
  readonly isIdle: () => boolean
}

export function createPlaces(most: number, onFree: (line: Line) => void): Places {
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

/** The places of each account, which exist while somebody needs them. */
export function createShares(
  most: number,
  onFree: (line: Line) => void,
): {
  readonly of: (line: Line) => Places
  /** Forgets those of the line's account if they are idle. */
  readonly tidy: (line: Line) => void
} {
  const shares = new Map<string, Places>()
  return {
    of({ endpoint: { account } }) {
      const share = shares.get(account) ?? createPlaces(most, onFree)
      shares.set(account, share)
      return share
    },
    tidy({ endpoint: { account } }) {
      if (shares.get(account)?.isIdle() === true) shares.delete(account)
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
