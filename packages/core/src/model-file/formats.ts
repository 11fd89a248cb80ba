/** The formats of texts that are short by themselves. */
import * as v from "valibot"

interface Format {
  readonly pattern: RegExp
  readonly words: string
}

const DATE = "\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])"
const TIME =
  "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,9})?(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)"

export const FORMATS: Readonly<Record<string, Format>> = {
  date: { pattern: new RegExp(`^${DATE}$`), words: "a date, as 2026-01-31" },
  "date-time": {
    pattern: new RegExp(`^${DATE}[Tt]${TIME}$`),
    words: "a date and time, as 2026-01-31T12:00:00Z",
  },
  time: { pattern: new RegExp(`^${TIME}$`), words: "a time, as 12:00:00Z" },
  ipv4: { pattern: v.IPV4_REGEX, words: "an IPv4 address" },
  ipv6: { pattern: v.IPV6_REGEX, words: "an IPv6 address" },
  uuid: {
    pattern: /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i,
    words: "a UUID",
  },
}

/** No text of these formats is longer. */
export const LONGEST_FORMATTED = 64
