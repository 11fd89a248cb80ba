/** `Retry-After` (RFC 9110 §10.2.3): whole seconds, or a date. */

/** Undefined if there is none, or it is neither; 0 for a date that has passed. */
export function readRetryAfterMs(headers: Headers, now: number): number | undefined {
  const text = headers.get("retry-after")?.trim()
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  // A date has a weekday's name; `Date.parse` alone would take much more for one.
  const at = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
