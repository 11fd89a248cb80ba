/**
 * Who may send how much at a time. Endpoints that took the last message share places that no other endpoint can
 * take: a thousand dead receivers, each holding its place until the time-out, delay each other alone. Of what
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
  }
}

export function isProven({ endpoint }: Line): boolean {
  return endpoint.provenAt > 0 && endpoint.failingSince === 0
}

/** An endpoint gets more at a time with each message that it takes, and one at a time once it fails. */
export function mostInFlight(line: Line, settings: WebhookSettings): number {
  return isProven(line) ? Math.min(settings.sendsPerEndpoint, 1 + line.successes) : 1
}
