/** Request rates as they are typed: `60/1m` is 60 requests at once, refilled evenly within a minute. */
import type { Rate } from "@safelight/core"
import { formatDuration, parseDuration } from "./duration.ts"

const SECOND_MS = 1_000
/** A day: a longer window would let a whole month's requests come at once. */
const LONGEST_WINDOW_MS = 86_400_000
/** More than any service answers: whoever wants more means `none`. */
const MOST_REQUESTS = 1_000_000

export const RATE_FORM = `requests/duration as in 60/1m; 1 to ${MOST_REQUESTS} in 1s to 1d`

/** Undefined if the text is no rate, or one out of bounds. */
export function parseRate(text: string): Rate | undefined {
  const [count = "", window = "", ...rest] = text.split("/")
  const requests = /^\d{1,7}$/.test(count) ? Number(count) : 0
  const windowMs = parseDuration(window) ?? 0
  const isRate = requests >= 1 && requests <= MOST_REQUESTS && rest.length === 0
  const isWindow = windowMs >= SECOND_MS && windowMs <= LONGEST_WINDOW_MS
  return isRate && isWindow ? { requests, windowMs } : undefined
}

export function formatRate(rate: Rate | null): string {
  return rate === null ? "none" : `${rate.requests}/${formatDuration(rate.windowMs)}`
}
