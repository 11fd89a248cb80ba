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

/** A month of UTC: what an account is billed by. */
export interface Month {
  /** As people write it: `2026-11`. */
  readonly name: string
  /** Milliseconds since the Unix epoch, inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** Of the years 1970 to 9999. */
const MONTH = /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])$/

/** Undefined if the text is no month, such as `2026-11`. */
export function parseMonth(text: string): Month | undefined {
  if (!MONTH.test(text)) return undefined
  const [year = 0, number = 0] = text.split("-").map(Number)
  return { name: text, from: Date.UTC(year, number - 1), to: Date.UTC(year, number) }
}
