/**
 * Moments. Inside, a moment is an integer count of milliseconds since the Unix epoch and its name
 * ends in `At`; only the public API speaks whole seconds, and it floors (http-decisions §3).
 */

/** Whole seconds since the Unix epoch, floored, from milliseconds. */
export function toUnixSeconds(at: number): number {
  return Math.floor(at / 1000)
}

/** A date as headers have it (RFC 9110 §5.6.7), in milliseconds; undefined if the text is none. */
export function parseHttpDate(text: string): number | undefined {
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : at
}
