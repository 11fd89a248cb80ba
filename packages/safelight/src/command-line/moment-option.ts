/**
 * A moment as it is typed: Unix seconds, or an ISO date with or without a time. Without an offset it is UTC, never
 * the local time: a bill is the same wherever it is read.
 */
import { InvalidArgumentError } from "commander"

const ISO =
  /^(\d{4})-(\d{2})(?:-(\d{2})(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?)?$/

/** Whole Unix seconds. Throws commander's error. */
export function parseMoment(text: string): number {
  const seconds = /^\d{1,12}$/.test(text) ? Number(text) : parseIso(text)
  if (seconds !== undefined && seconds >= 0) return seconds
  throw new InvalidArgumentError(
    "expected Unix seconds or an ISO date such as 2026-11-01 or 2026-11-01T09:30+01:00.",
  )
}

function parseIso(text: string): number | undefined {
  const [, year, month, day = "01", hour = "00", minute = "00", second = "00", offset = "Z"] =
    ISO.exec(text) ?? []
  if (year === undefined || !isDay(`${year}-${month}-${day}`)) return undefined
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`)
  return at / 1_000
}

/** Whether the date exists: 31 November would become another day. */
function isDay(date: string): boolean {
  const at = Date.parse(`${date}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date)
}
