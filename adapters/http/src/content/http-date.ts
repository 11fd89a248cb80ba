/**
 * Dates of HTTP (RFC 9110 §5.6.7): the one form we write and the three that a recipient must read.
 * `Date.parse` reads far more than HTTP allows, so it is not used.
 */
const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")
const CLOCK = "(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)"
const FORMS = [
  /** Sun, 06 Nov 1994 08:49:37 GMT */
  new RegExp(
    `^[A-Z][a-z]{2}, (?<day>\\d\\d) (?<month>[A-Z][a-z]{2}) (?<year>\\d{4}) ${CLOCK} GMT$`,
  ),
  /** Sunday, 06-Nov-94 08:49:37 GMT */
  new RegExp(
    `^[A-Z][a-z]{5,8}, (?<day>\\d\\d)-(?<month>[A-Z][a-z]{2})-(?<year>\\d\\d) ${CLOCK} GMT$`,
  ),
  /** Sun Nov  6 08:49:37 1994 */
  new RegExp(`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \\d]\\d) ${CLOCK} (?<year>\\d{4})$`),
]
/** A two-digit year further ahead than this is one of the past. */
const FUTURE_YEARS = 50

/** An IMF-fixdate, from milliseconds; the second is floored. */
export function formatHttpDate(at: number): string {
  return new Date(at).toUTCString()
}

/** Milliseconds, a whole second; undefined if the text is not a date of HTTP. */
export function parseHttpDate(text: string, now: number): number | undefined {
  for (const form of FORMS) {
    const groups = form.exec(text)?.groups
    if (groups !== undefined) return toInstant(groups, now)
  }
  return undefined
}

function toInstant(groups: Record<string, string>, now: number): number | undefined {
  const { year = "", month = "", day = "", hour, minute, second } = groups
  const monthIndex = MONTHS.indexOf(month)
  const fullYear = year.length === 2 ? toFullYear(Number(year), now) : Number(year)
  const date = new Date(0)
  date.setUTCFullYear(fullYear, monthIndex, Number(day))
  date.setUTCHours(Number(hour), Number(minute), Number(second))
  // A 31st of February, or a 25th hour, moves on to a later day.
  const isReal = date.getUTCMonth() === monthIndex && date.getUTCDate() === Number(day)
  return isReal && Number(minute) < 60 && Number(second) < 60 ? date.getTime() : undefined
}

function toFullYear(twoDigits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + twoDigits
  return year > thisYear + FUTURE_YEARS ? year - 100 : year
}
