/** Reads `Retry-After` (RFC 9110 §10.2.3): whole seconds, or a date. */

/** Undefined if the header is absent or malformed; 0 for a date in the past. */
export function readRetryAfterMs(headers: Headers, now: number): number | undefined {
  const text = headers.get("retry-after")?.trim()
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  // An HTTP date begins with a weekday. `Date.parse` alone accepts much else.
  const at = /^[A-Z][a-z]{2}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
