/** How long to wait before asking again: `Retry-After` as seconds or as a date (RFC 9110 §10.2.3). */

/** "Poll every few seconds" (specification §4) where the service does not say. */
const USUAL_MS = 2_000
/** Nobody who waits at a terminal is served by a longer silence. */
const LONGEST_MS = 60_000

/** Milliseconds from `now`, within reason. */
export function toRetryAfterMs(header: string | null, now: number): number {
  const askedMs = header === null ? undefined : parse(header.trim(), now)
  return askedMs === undefined ? USUAL_MS : Math.min(Math.max(askedMs, 0), LONGEST_MS)
}

function parse(text: string, now: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at - now
}
