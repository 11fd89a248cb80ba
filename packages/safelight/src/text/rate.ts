/** Request rates as they are typed: `60/1m` is 60 requests at once, refilled evenly within a minute. */
import { SETTING_BOUNDS, type Rate } from "@safelight/core"
import { formatDuration, parseDuration } from "./duration.ts"

const { maxRequests, maxWindowMs, minWindowMs } = SETTING_BOUNDS.rate

export const RATE_FORM = `requests/duration as in 60/1m; 1 to ${maxRequests} in 1s to 1d`

/** Undefined if the text is no rate, or one out of bounds. */
export function parseRate(text: string): Rate | undefined {
  const [count = "", window = "", ...rest] = text.split("/")
  const requests = /^\d{1,7}$/.test(count) ? Number(count) : 0
  const windowMs = parseDuration(window) ?? 0
  const isRate = requests >= 1 && requests <= maxRequests && rest.length === 0
  const isWindow = windowMs >= minWindowMs && windowMs <= maxWindowMs
  return isRate && isWindow ? { requests, windowMs } : undefined
}

export function formatRate(rate: Rate | null): string {
  return rate === null ? "none" : `${rate.requests}/${formatDuration(rate.windowMs)}`
}
