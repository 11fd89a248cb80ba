/** A month as it is typed, `2026-11`: of UTC, as every bill. */
import { parseMonth, type Month } from "@safelight/core"
import { InvalidArgumentError } from "commander"

/** Throws commander's error if the text is no month. */
export function parseMonthArgument(text: string): Month {
  const month = parseMonth(text)
  if (month === undefined) throw new InvalidArgumentError("expected a month such as 2026-11.")
  return month
}
