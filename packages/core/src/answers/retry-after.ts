/** `Retry-After` (RFC 9110 §10.2.3), which is a number of seconds or a date. */
import { parseHttpDate } from "../values/instant.ts"

/** Milliseconds from `now` on, and 0 for a date that has passed; undefined if the header is neither. */
export function toRetryAfterMs(header: string, now: number): number | undefined {
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const at = parseHttpDate(text)
  return at === undefined ? undefined : Math.max(0, at - now)
}
