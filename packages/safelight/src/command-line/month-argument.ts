/** A month as it is typed, `2026-11`: of UTC, as every bill. */
import { InvalidArgumentError } from "commander"

export interface Month {
  /** Milliseconds since the Unix epoch, inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
}

/** The text, if it is a month. Throws commander's error. */
export function parseMonth(text: string): string {
  if (/^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])$/.test(text)) return text
  throw new InvalidArgumentError("expected a month such as 2026-11.")
}

/** When a month that `parseMonth` let through begins and ends. */
export function toPeriod(month: string): Month {
  const [year = 0, number = 0] = month.split("-").map(Number)
  return { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) }
}
